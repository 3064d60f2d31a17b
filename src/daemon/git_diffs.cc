// SPDX-License-Identifier: Apache-2.0
#include "daemon/git_diffs.h"

#include <algorithm>
#include <sys/eventfd.h>
#include <utility>

namespace host {

GitDiffs::GitDiffs(event::Loop& loop, std::string blank)
    : loop_(loop), blank_(std::move(blank)), stop_(::eventfd(0, EFD_CLOEXEC)) {}

GitDiffs::~GitDiffs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  (void)::eventfd_write(stop_.get(), 1);
  changed_.notify_all();
  for (std::thread& each : threads_) each.join();
}

void GitDiffs::read(const std::string& folder, Done done) {
  {
    const std::lock_guard lock(mutex_);
    const auto same = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const Job& each) { return each.folder == folder; });
    if (same != waiting_.end()) {
      same->done.push_back(std::move(done));
      return;
    }
    if (waiting_.size() < kMostWaiting) {
      waiting_.push_back({folder, {}});
      waiting_.back().done.push_back(std::move(done));
      if (idle_ < waiting_.size() && threads_.size() < kThreads) threads_.emplace_back([this] { work(); });
      changed_.notify_one();
      return;
    }
  }
  GitDiff none;
  none.note = "too many folders at once";
  tell({std::move(done)}, std::move(none));
}

void GitDiffs::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    idle_++;
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    idle_--;
    if (ending_) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    tell(std::move(job.done), git_diff(job.folder, blank_, stop_.get()));
    lock.lock();
  }
}

void GitDiffs::tell(std::vector<Done> done, GitDiff diff) {
  loop_.post([done = std::move(done), diff = std::move(diff)] {
    for (const Done& each : done) each(diff);
  });
}

}  // namespace host
