// SPDX-License-Identifier: Apache-2.0
// What the store's thread writes, each in a transaction; writer.cc has the thread itself.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "store/writer.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr size_t kKeptAtOnce = 1000;  // so that trying in vain stays cheap, however many are kept

template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

template <typename T>
std::function<void()> call(Completion<T>& done, Result<T>&& result) {
  if (!done) return {};
  return [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); };
}

}  // namespace

Result<void> Store::Writer::in_transaction(const std::function<Result<void>()>& work) {
  if (connection_->is_moved())
    return fail(Code::internal, ESTALE, "the store's file was removed or replaced while it is in use");
  auto transaction = Transaction::begin(*connection_, Transaction::Kind::write);
  if (!transaction) return fail(transaction);
  if (auto done = chain_->load(); !done) return done;
  if (auto done = work(); !done) return done;
  if (auto done = chain_->save(); !done) return done;
  return transaction->commit();
}

Result<void> Store::Writer::write_kept() {
  while (!kept_.empty()) {
    const size_t count = std::min(kept_.size(), kKeptAtOnce);
    auto written = in_transaction([&]() -> Result<void> {
      const int64_t now = wall_now();
      for (size_t i = 0; i < count; i++) {
        if (auto seq = chain_->append(kept_[i].entry, now); !seq) return fail(seq);
      }
      return {};
    });
    if (!written) return written;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += kept_[i].bytes;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count));
    let_go(count, bytes);
  }
  return {};
}

class Store::Writer::Unsynced {
 public:
  explicit Unsynced(Connection& connection) : connection_(connection) {
    (void)connection_.execute("PRAGMA synchronous = NORMAL");
  }
  ~Unsynced() { (void)connection_.execute("PRAGMA synchronous = FULL"); }
  Unsynced(const Unsynced&) = delete;
  Unsynced& operator=(const Unsynced&) = delete;

 private:
  Connection& connection_;
};

Result<void> Store::Writer::write_batch(std::deque<Queued>& batch, Completions& done) {
  // The next commit that is synced takes the others with it.
  std::optional<Unsynced> unsynced;
  if (std::all_of(batch.begin(), batch.end(), [](const Queued& queued) {
        const Record* record = std::get_if<Record>(&queued.job);
        return record != nullptr && !record->synced;
      }))
    unsynced.emplace(*connection_);
  std::vector<Outcome> outcomes;
  outcomes.reserve(batch.size());
  auto written = in_transaction([&]() -> Result<void> {
    const int64_t now = wall_now();
    for (Queued& queued : batch) {
      auto outcome = write_job(queued.job, now);
      if (!outcome) return fail(outcome);
      outcomes.push_back(std::move(*outcome));
    }
    return {};
  });
  if (!written) return written;
  size_t bytes = 0;
  for (size_t i = 0; i < batch.size(); i++) {
    bytes += batch[i].bytes;
    if (auto told = completion(batch[i].job, std::move(outcomes[i]))) done.push_back(std::move(told));
  }
  let_go(batch.size(), bytes);
  batch.clear();
  return {};
}

Result<Store::Writer::Outcome> Store::Writer::write_job(Job& job, int64_t now) {
  return std::visit(Match{
                        [&](Row& row) -> Result<Outcome> {
                          auto seq = chain_->append(row.entry, now);
                          if (!seq) return fail(seq);
                          return Outcome(std::move(seq));
                        },
                        [&](Record& record) -> Result<Outcome> {
                          auto written = write_record(record);
                          // Its own fault is its own affair; the disk's is everybody's.
                          if (!written && written.error().sys != 0) return fail(written);
                          return written;
                        },
                        [&](Head&) { return write_head(now); },
                        [&](Archive&) -> Result<Outcome> { return std::monostate(); },
                    },
                    job);
}

Result<void> Store::Writer::write_record(const Record& record) {
  if (auto begun = connection_->execute("SAVEPOINT record"); !begun) return begun;
  auto written = record.work(*connection_);
  if (!written && written.error().sys != 0) return written;
  auto ended = connection_->execute(written ? "RELEASE record" : "ROLLBACK TO record; RELEASE record");
  return ended ? written : ended;
}

Result<Store::Writer::Outcome> Store::Writer::write_head(int64_t now) {
  if (chain_->is_empty())
    return Outcome(Result<AuditHead>(fail(Code::invalid_param, 0, "the audit is empty: it has no head")));
  if (auto done = chain_->sign(now); !done) return fail(done);
  auto head = read_last_head(*connection_);
  if (!head && head.error().sys != 0) return fail(head);
  if (!head) return Outcome(Result<AuditHead>(fail(head)));
  return Outcome(Result<AuditHead>(AuditHead{**head, key_.public_key()}));
}

std::function<void()> Store::Writer::completion(Job& job, Outcome outcome) {
  return std::visit(
      Match{
          [&](Row& row) { return call<int64_t>(row.done, std::move(std::get<Result<int64_t>>(outcome))); },
          [&](Record& record) { return call<void>(record.done, std::move(std::get<Result<void>>(outcome))); },
          [&](Head& head) {
            return call<AuditHead>(head.done, std::move(std::get<Result<AuditHead>>(outcome)));
          },
          // A transaction of its own, after that of the batch.
          [&](Archive& archive) {
            return call<ArchiveReport>(
                archive.done,
                archive_audit(*connection_, key_, options_.archive_folder, archive.before, wall_now()));
          },
      },
      job);
}

Result<void> Store::Writer::write_lost() {
  Lost lost;
  {
    const std::lock_guard lock(mutex_);
    lost = lost_;
  }
  if (lost.count == 0) return {};
  AuditEntry entry;
  entry.at = lost.first_at;
  entry.until = lost.last_at;
  entry.action = "lost";
  entry.agent = "tend";
  entry.channel = "store";
  entry.count = lost.count;
  entry.result = base::code_name(Code::internal);
  entry.summary = "operations that are not in the audit because the store's queue was full";
  auto written = in_transaction([&]() -> Result<void> {
    if (auto seq = chain_->append(entry, wall_now()); !seq) return fail(seq);
    return {};
  });
  if (!written) return written;
  const std::lock_guard lock(mutex_);
  lost_.count -= lost.count;  // others may have come meanwhile
  lost_.first_at = lost.last_at;
  return {};
}

Result<void> Store::Writer::sign() {
  return in_transaction([this] { return chain_->sign(wall_now()); });
}

}  // namespace store
