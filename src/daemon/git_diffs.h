// SPDX-License-Identifier: Apache-2.0
// GitDiffs: git_diff() beside the loop, in a few threads that start when they are needed. Whoever asks for a
// folder that waits for its turn already gets the same answer. At the bound of what may wait the answer is a
// note that says so.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "daemon/git_diff.h"
#include "event/loop.h"

namespace host {

class GitDiffs {
 public:
  static constexpr size_t kThreads = 2;
  static constexpr size_t kMostWaiting = 32;  // folders

  using Done = std::function<void(const GitDiff&)>;

  GitDiffs(event::Loop& loop, std::string blank);
  ~GitDiffs();  // those at work are ended
  GitDiffs(const GitDiffs&) = delete;
  GitDiffs& operator=(const GitDiffs&) = delete;

  // `done` is called in the loop.
  void read(const std::string& folder, Done done);

 private:
  struct Job {
    std::string folder;
    std::vector<Done> done;
  };

  void work();
  void tell(std::vector<Done> done, GitDiff diff);

  event::Loop& loop_;
  const std::string blank_;
  base::Fd stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace host
