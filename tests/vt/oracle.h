// SPDX-License-Identifier: Apache-2.0
// Oracle: xterm.js in a node process of its own (tests/oracle), which lives as long as this. If it cannot be
// started or does not answer, the test program ends with a message.
#pragma once
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/fd.h"
#include "recording.h"
#include "view.h"

namespace vt_test {

struct Job {
  Recording recording;
  size_t scrollback = 1000;
  // Look behind these events as well; at the end always, and with the scrollback.
  std::vector<size_t> looks = {};
};

struct Answer {
  std::vector<View> views;  // at the job's looks and at its end
  std::string error;        // if xterm.js threw, what; then there are no views
};

class Oracle {
 public:
  Oracle();
  ~Oracle();
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  std::vector<Answer> run(std::span<const Job> jobs);

 private:
  void feed_and_read(const std::string& input, size_t lines);

  base::Fd input_;
  base::Fd output_;
  pid_t pid_ = -1;
  std::string pending_;
};

}  // namespace vt_test
