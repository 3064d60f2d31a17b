// SPDX-License-Identifier: Apache-2.0
// A store in a folder of its own, whose completions a test collects, and the means to tamper with it.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "store/database.h"
#include "store/signing.h"
#include "store/store.h"
#include "store/verify.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace store {

// In the daemon's place: functions are posted from anywhere and run where the test waits.
class Loop {
 public:
  void post(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(work));
    }
    wake_.notify_one();
  }

  // Runs what comes until the condition holds; false at the deadline.
  template <typename Condition>
  bool run_until(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + support::kDeadline;
    while (!condition()) {
      std::unique_lock lock(mutex_);
      if (!wake_.wait_until(lock, deadline, [this] { return !posted_.empty(); })) return false;
      const auto work = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      work();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> posted_;
};

inline StoreOptions options_in(const support::TempDir& dir) {
  StoreOptions options;
  options.path = dir.file("store.db");
  options.key_path = dir.file("audit.key");
  options.archive_folder = dir.file("archive");
  return options;
}

inline AuditEntry entry(int64_t at, const std::string& command = "ls -l") {
  AuditEntry made;
  made.at = at;
  made.session = "s1";
  made.pty = 0;
  made.action = "run";
  made.agent = "claude";
  made.channel = "mcp";
  made.command = command;
  made.summary = "exit 0";
  return made;
}

// Calls something of the store and waits for what it completes with.
template <typename T, typename Call>
base::Result<T> wait_for(Loop& loop, const Call& call) {
  std::optional<base::Result<T>> got;
  call(Completion<T>([&](base::Result<T> result) { got = std::move(result); }));
  if (!loop.run_until([&] { return got.has_value(); })) std::abort();
  return std::move(*got);
}

class OpenedStore : public testing::Test {
 protected:
  StoreOptions options() {
    StoreOptions made = options_in(dir_);
    made.post = [this](std::function<void()> work) { loop_.post(std::move(work)); };
    return made;
  }
  void open() { open(options()); }
  void open(StoreOptions with) {
    auto opened = Store::open(std::move(with));
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = std::move(*opened);
  }
  void close() {
    const auto closed = store_->close();
    EXPECT_TRUE(closed) << closed.error().message();
    store_.reset();
  }

  base::Result<int64_t> append(AuditEntry made) {
    return wait_for<int64_t>(loop_, [&](auto done) { store_->append(std::move(made), std::move(done)); });
  }
  // Rows with the times first, first + 1, …
  void append_many(int64_t first, int64_t count) {
    for (int64_t at = first; at < first + count - 1; at++) store_->append(entry(at));
    ASSERT_TRUE(append(entry(first + count - 1)));
  }
  // A whole store with this many rows, closed.
  void make_rows(int64_t count) {
    open();
    append_many(1, count);
    close();
  }

  VerifyReport verify(const VerifyOptions& with = {}) {
    auto report =
        verify_audit(dir_.file("store.db"), load_public_key(dir_.file("audit.key.pub")).value(), with);
    if (!report) return {false, 0, 0, 0, 0, {}, "error: " + report.error().message()};
    return *report;
  }
  // As somebody would who has the file and SQLite, but not the key.
  void tamper(const std::string& sql) {
    auto connection = Connection::open(dir_.file("store.db"), Access::write);
    ASSERT_TRUE(connection);
    const auto done = connection->execute(sql);
    ASSERT_TRUE(done) << done.error().message();
  }

  support::TempDir dir_;
  Loop loop_;
  std::unique_ptr<Store> store_;
};

}  // namespace store
