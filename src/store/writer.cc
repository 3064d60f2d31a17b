// SPDX-License-Identifier: Apache-2.0
#include "store/writer.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <utility>

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr size_t kKeptAtOnce = 1000;  // so that trying in vain stays cheap, however many are kept
constexpr std::chrono::milliseconds kMostRetryAfter = std::chrono::seconds(30);

template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

template <typename T>
std::function<void()> call(Completion<T>& done, Result<T> result) {
  if (!done) return {};
  return [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); };
}

template <typename Job>
std::function<void()> call_failed(Job& job, const base::Error& error) {
  return std::visit(
      [&](auto& known) -> std::function<void()> {
        if (!known.done) return {};
        return [done = std::move(known.done), error] { done(std::unexpected(error)); };
      },
      job);
}

}  // namespace

Store::Writer::Writer(StoreOptions options, Connection connection, SigningKey key,
                      std::vector<std::string> notices)
    : options_(std::move(options)),
      key_(std::move(key)),
      notices_(std::move(notices)),
      connection_(std::move(connection)),
      retry_after_(options_.retry_after) {}

Result<std::unique_ptr<Store::Writer>> Store::Writer::open(StoreOptions options) {
  std::vector<std::string> notices;
  auto file = open_store_file(options.path, options.vfs);
  if (!file) return fail(file);
  if (!file->put_aside.empty()) notices.push_back(file->put_aside);
  auto key = SigningKey::load_or_make(options.key_path);
  if (!key) return fail(key);
  auto head = read_last_head(file->connection);
  if (!head) return fail(head);
  if (key->is_new() && *head)
    notices.push_back(
        fmt::format("the audit's key {} was missing and a new one was made: rows up to {} are "
                    "signed with the old one",
                    options.key_path, (*head)->seq));
  std::unique_ptr<Writer> writer(
      new Writer(std::move(options), std::move(file->connection), std::move(*key), std::move(notices)));
  if (auto started = writer->start(); !started) return fail(started);
  return writer;
}

Result<void> Store::Writer::start() {
  auto chain = Chain::open(*connection_, key_, std::clamp<int64_t>(options_.sign_rows, 1, kMostUnsigned));
  if (!chain) return fail(chain);
  chain_ = std::move(*chain);
  if (auto loaded = chain_->load(); !loaded) return loaded;
  if (chain_->unsigned_rows() > 0) sign_at_ = Steady::now() + options_.sign_after;
  thread_ = std::thread([this] {
    // Being woken must not push the caller off its processor.
    const sched_param none{};
    (void)::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &none);
    run();
  });
  return {};
}

Store::Writer::~Writer() { (void)close(); }

Result<void> Store::Writer::close() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  return ended_;
}

void Store::Writer::push(Job job, size_t bytes) {
  const char* refused = nullptr;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_closing_) {
      refused = "the store is closed";
    } else if (held_jobs_ >= options_.most_queued || held_bytes_ + bytes > options_.most_queued_bytes) {
      refused = "the store cannot keep up: its queue is full";
      if (const Row* row = std::get_if<Row>(&job)) {
        if (lost_.count == 0) lost_.first_at = row->entry.at;
        lost_.count += row->entry.count;
        lost_.last_at = row->entry.at;
      }
    } else {
      queue_.push_back({std::move(job), bytes});
      held_jobs_++;
      held_bytes_ += bytes;
      wake = std::exchange(is_waiting_, false);
    }
  }
  if (wake) wake_.notify_one();
  if (refused != nullptr) deliver({call_failed(job, base::Error{Code::internal, 0, refused})});
}

std::vector<std::string> Store::Writer::degraded() const {
  std::vector<std::string> sentences = notices_;
  const std::lock_guard lock(mutex_);
  if (!failure_.empty())
    sentences.push_back(kept_count_ == 0
                            ? failure_
                            : fmt::format("{}; {} rows of the audit wait in memory", failure_, kept_count_));
  if (lost_.count > 0)
    sentences.push_back(
        fmt::format("the audit lost {} operations because the store's queue was full", lost_.count));
  return sentences;
}

void Store::Writer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wait_for_work(lock);
    if (queue_.empty() && is_closing_) break;
    std::deque<Queued> batch;
    batch.swap(queue_);
    lock.unlock();
    work_off(std::move(batch));
    lock.lock();
  }
  lock.unlock();
  finish();
}

void Store::Writer::wait_for_work(std::unique_lock<std::mutex>& lock) {
  const auto ready = [this] { return !queue_.empty() || is_closing_ || (lost_.count > 0 && !retry_at_); };
  is_waiting_ = true;
  // While the disk fails, only the retry's time counts.
  if (const auto due = retry_at_ ? retry_at_ : sign_at_)
    wake_.wait_until(lock, *due, ready);
  else
    wake_.wait(lock, ready);
  is_waiting_ = false;
}

void Store::Writer::work_off(std::deque<Queued> batch) {
  Completions done;
  Result<void> written = write_kept();
  if (written && !batch.empty()) written = write_batch(batch, done);
  if (written) written = write_lost();
  if (written && sign_at_ && Steady::now() >= *sign_at_) written = sign();
  if (written) {
    note_success();
  } else {
    refuse(batch, written.error(), done);
    note_failure(written.error());
  }
  // Last, so that whoever hears of it finds degraded() as it is now.
  deliver(std::move(done));
}

void Store::Writer::finish() {
  Result<void> written = write_kept();
  if (written) written = write_lost();
  if (written && sign_at_) written = sign();
  if (!written) note_failure(written.error());
  if (!kept_.empty())
    written.error().what =
        fmt::format("{} rows of the audit are lost: {}", kept_.size(), written.error().what);
  // Without it nothing is lost either: the next start reads the WAL.
  if (written) written = connection_->checkpoint();
  ended_ = std::move(written);
  chain_.reset();
  connection_.reset();
}

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

Result<void> Store::Writer::write_batch(std::deque<Queued>& batch, Completions& done) {
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
                          return *seq;
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
  if (!head) return fail(head);
  return Outcome(Result<AuditHead>(AuditHead{**head, key_.public_key()}));
}

std::function<void()> Store::Writer::completion(Job& job, Outcome outcome) {
  return std::visit(
      Match{
          [&](Row& row) { return call<int64_t>(row.done, std::get<int64_t>(outcome)); },
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

void Store::Writer::refuse(std::deque<Queued>& batch, const base::Error& error, Completions& done) {
  size_t dropped = 0;
  size_t bytes = 0;
  for (Queued& queued : batch) {
    if (auto told = call_failed(queued.job, error)) done.push_back(std::move(told));
    if (Row* row = std::get_if<Row>(&queued.job)) {
      kept_.push_back({std::move(row->entry), queued.bytes});
    } else {
      dropped++;
      bytes += queued.bytes;
    }
  }
  let_go(dropped, bytes);
}

void Store::Writer::note_success() {
  retry_at_.reset();
  retry_after_ = options_.retry_after;
  if (chain_->unsigned_rows() == 0)
    sign_at_.reset();
  else if (!sign_at_)
    sign_at_ = Steady::now() + options_.sign_after;
  const std::lock_guard lock(mutex_);
  failure_.clear();
  kept_count_ = 0;
}

void Store::Writer::note_failure(const base::Error& error) {
  if (is_damage(error)) mark_suspect(options_.path);
  const auto now = Steady::now();
  if (retry_at_ && now >= *retry_at_) retry_after_ = std::min(retry_after_ * 2, kMostRetryAfter);
  if (!retry_at_ || now >= *retry_at_) retry_at_ = now + retry_after_;
  const std::lock_guard lock(mutex_);
  // Nothing to try again: the next write will show.
  if (kept_.empty() && !sign_at_ && lost_.count == 0) retry_at_.reset();
  failure_ = error.message();
  kept_count_ = kept_.size();
}

void Store::Writer::let_go(size_t jobs, size_t bytes) {
  const std::lock_guard lock(mutex_);
  held_jobs_ -= jobs;
  held_bytes_ -= bytes;
}

void Store::Writer::deliver(Completions done) const {
  std::erase_if(done, [](const std::function<void()>& one) { return !one; });
  if (done.empty()) return;
  auto all = [done = std::move(done)] {
    for (const auto& one : done) one();
  };
  if (options_.post)
    options_.post(std::move(all));
  else
    all();
}

}  // namespace store
