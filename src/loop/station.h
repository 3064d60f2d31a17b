// SPDX-License-Identifier: Apache-2.0
// Station: everything that a runner waits for, in one place: signals, children, the daemon, time. One thread;
// wait() sleeps until something happens.
#pragma once
#include <map>
#include <optional>
#include <poll.h>
#include <span>
#include <sys/types.h>

#include "base/clock.h"
#include "base/result.h"
#include "loop/daemon_line.h"
#include "loop/printer.h"
#include "loop/signals.h"
#include "pty/pty.h"

namespace loop {

class Station {
 public:
  Station(Signals signals, DaemonLine::Connect connect);

  // Until something has happened, or this moment. `more` is polled too.
  base::Result<void> wait(std::optional<base::Moment> until, std::span<pollfd> more = {});

  // The most urgent one so far.
  Wish wish() const { return wish_; }
  base::Moment wished_at() const { return wished_at_; }

  // A child whose end is of interest; others are only reaped.
  void watch(pid_t child) { children_[child] = {}; }
  std::optional<pty::ExitStatus> ended(pid_t child) const;
  void forget(pid_t child) { children_.erase(child); }

  base::Moment now() const { return clock_.now(); }
  base::WallTime wall() const { return clock_.wall(); }

 private:
  base::RealClock clock_;
  Signals signals_;
  Wish wish_ = Wish::none;
  base::Moment wished_at_{};
  std::map<pid_t, std::optional<pty::ExitStatus>> children_;

 public:
  DaemonLine line;
  Printer printer;
};

}  // namespace loop
