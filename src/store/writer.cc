// SPDX-License-Identifier: Apache-2.0
#include "store/writer.h"

#include <algorithm>
#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <utility>

#include "store/prompts.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr std::chrono::milliseconds kMostRetryAfter = std::chrono::seconds(30);

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
  // The key first: once a damaged file is put aside, nothing may keep us from telling it.
  auto key = SigningKey::load_or_make(options.key_path);
  if (!key) return fail(key);
  auto file = open_store_file(options.path, options.vfs);
  if (!file) return fail(file);
  std::vector<std::string> notices;
  if (!file->put_aside.empty()) notices.push_back(file->put_aside);
  // Before anybody reads them: what an earlier daemon had begun. On a disk that cannot be written such a
  // prompt stays claimed, and nobody can answer it twice.
  if (auto recovered = recover_prompts(file->connection, wall_now()); !recovered)
    notices.push_back("answers of an earlier daemon cannot be looked after: " + recovered.error().message());
  auto signed_rows = file->connection.number("SELECT max(seq) FROM audit_heads");
  if (!signed_rows) return fail(signed_rows);
  if (key->is_new() && *signed_rows > 0)
    notices.push_back(
        fmt::format("the audit's key {} was missing and a new one was made: rows up to {} are "
                    "signed with the old one",
                    options.key_path, *signed_rows));
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
    (void)::pthread_setname_np(::pthread_self(), "tend-store");
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
        wake = std::exchange(is_waiting_, false);
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
    sentences.push_back(kept_count_ == 0 ? failure_
                                         : fmt::format("{} (rows of the audit that wait in memory: {})",
                                                       failure_, kept_count_));
  if (lost_.count > 0)
    sentences.push_back(
        fmt::format("the store's queue was full (operations lost to the audit: {})", lost_.count));
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
  if (written && chain_->unsigned_rows() > 0) written = sign();
  if (!written) note_failure(written.error());
  if (!kept_.empty())
    written.error().what = fmt::format("rows of the audit lost: {}; {}", kept_.size(), written.error().what);
  // Without it nothing is lost either: the next start reads the WAL.
  if (written) written = connection_->checkpoint();
  ended_ = std::move(written);
  chain_.reset();
  connection_.reset();
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
  if (kept_.empty() && lost_.count == 0 && !(sign_at_ && now >= *sign_at_)) retry_at_.reset();
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
