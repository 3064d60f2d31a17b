// SPDX-License-Identifier: Apache-2.0
// Printer: the runner's own terminal, PTY 0. It never blocks: who reads slowly there must not keep the runner
// from hearing a signal. What waits is bounded by its user, who asks full() before he takes more from a
// child.
#pragma once
#include <string>
#include <string_view>

#include "base/clock.h"

namespace loop {

class Printer {
 public:
  // Keys are neither echoed nor gathered to lines; those that are signals stay so.
  explicit Printer(int fd);

  void bytes(std::string_view text);
  // A line of its own.
  void line(std::string_view text);

  int fd() const { return fd_; }
  bool waiting() const { return !queue_.empty(); }
  bool full() const;
  void flush();
  // Everything, if it is taken by then.
  void finish(base::Duration patience);

 private:
  int fd_;
  std::string queue_;
  char last_ = '\n';
};

}  // namespace loop
