// SPDX-License-Identifier: Apache-2.0
// Store::Writer: the store's thread and the queue before it. Private to the store.
//
// Under the mutex: the queue, the counts of what is held, what is lost, the sentences for degraded(). The
// connection, the chain and the rows kept belong to the thread.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "store/schema.h"
#include "store/store.h"

namespace store {

class Store::Writer {
 public:
  struct Row {
    AuditEntry entry;
    Completion<int64_t> done;
  };
  struct Record {
    std::function<base::Result<void>(Connection&)> work;
    Completion<void> done;
    bool synced = true;
  };
  struct Head {
    Completion<AuditHead> done;
  };
  struct Archive {
    int64_t before;
    Completion<ArchiveReport> done;
  };
  using Job = std::variant<Row, Record, Head, Archive>;

  static base::Result<std::unique_ptr<Writer>> open(StoreOptions options);
  ~Writer();

  // From any thread. `bytes` is about what the job holds in memory.
  void push(Job job, size_t bytes);
  std::vector<std::string> degraded() const;
  base::Result<void> close();
  const StoreOptions& options() const { return options_; }

 private:
  using Steady = std::chrono::steady_clock;
  using Completions = std::vector<std::function<void()>>;
  struct Queued {
    Job job;
    size_t bytes;
  };
  struct Kept {
    AuditEntry entry;
    size_t bytes;
  };
  // Rows that were refused at the bound since the last one that says so.
  struct Lost {
    int64_t count = 0;
    int64_t first_at = 0;
    int64_t last_at = 0;
  };

  Writer(StoreOptions options, Connection connection, SigningKey key, std::vector<std::string> notices);
  base::Result<void> start();

  void run();
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  void work_off(std::deque<Queued> batch);
  void finish();

  // Each is a transaction, and an error means that nothing of it was written.
  base::Result<void> write_kept();
  base::Result<void> write_batch(std::deque<Queued>& batch, Completions& done);
  base::Result<void> write_lost();
  base::Result<void> sign();
  // Until the end of its life, commits need not be synced.
  class Unsynced;
  base::Result<void> in_transaction(const std::function<base::Result<void>()>& work);

  // What became of a job, until the commit allows to tell it: nothing yet, a row's number, …
  using Outcome =
      std::variant<std::monostate, base::Result<int64_t>, base::Result<void>, base::Result<AuditHead>>;
  base::Result<Outcome> write_job(Job& job, int64_t now);
  base::Result<void> write_record(const Record& record);
  base::Result<Outcome> write_head(int64_t now);
  std::function<void()> completion(Job& job, Outcome outcome);

  void refuse(std::deque<Queued>& batch, const base::Error& error, Completions& done);
  void note_success();
  void note_failure(const base::Error& error);
  void let_go(size_t jobs, size_t bytes);
  void deliver(Completions done) const;

  const StoreOptions options_;
  const SigningKey key_;
  const std::vector<std::string> notices_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Queued> queue_;
  size_t held_jobs_ = 0;  // queued, at work, and kept
  size_t held_bytes_ = 0;
  Lost lost_;
  std::string failure_;  // why the disk cannot be written; empty: it can
  size_t kept_count_ = 0;
  bool is_waiting_ = false;
  bool is_closing_ = false;

  // Of the thread alone.
  std::optional<Connection> connection_;
  std::optional<Chain> chain_;
  std::deque<Kept> kept_;
  std::optional<Steady::time_point> sign_at_;   // there are unsigned rows
  std::optional<Steady::time_point> retry_at_;  // there are rows kept
  std::chrono::milliseconds retry_after_;
  base::Result<void> ended_;  // for close()

  std::thread thread_;
};

}  // namespace store
