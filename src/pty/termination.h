// SPDX-License-Identifier: Apache-2.0
// Termination: the end of a PTY's processes, all of them. First a request (SIGTERM, or SIGHUP to whoever
// ignores that, as interactive shells do; SIGCONT so that the stopped hear it), then a grace, then SIGKILL
// until nobody is left: background groups, children with sessions of their own, orphans that forked twice.
//
// A passive object: the caller calls step() at next() and whenever a child has ended.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/clock.h"
#include "pty/control_group.h"
#include "pty/processes.h"

namespace pty {

// Who belongs to a PTY. `root` is the subreaper below which everything stays, the keeper. From `leader` go
// its descendants, its session, and orphans whose environment carries all the `marks`. Leader 0 is everyone
// below root.
struct Family {
  pid_t root = 0;
  pid_t leader = 0;
  std::vector<std::string> marks = {};
};

// The living, without the root.
std::vector<Process> living_members(const Family& family);

class Termination {
 public:
  // `group` may be null, and is looked into beside the family.
  Termination(Family family, ControlGroup* group, base::Moment now, base::Duration grace);

  enum class State { going_on, all_gone, gave_up };
  State step(base::Moment now);
  base::Moment next() const { return next_; }
  size_t survivors() const { return survivors_; }

 private:
  std::vector<Process> find() const;
  bool nobody_is_left() const;
  void ask(const std::vector<Process>& members);
  void freeze_and_kill();

  Family family_;
  ControlGroup* group_;
  base::Moment grace_end_;
  base::Moment give_up_;
  base::Moment next_;
  base::Duration pause_;
  std::vector<Process> asked_;
  std::vector<Process> blocking_;  // of the asked: they may ignore it yet
  size_t survivors_ = 0;
  int looks_ = 0;
  int doubts_ = 0;  // how often nobody was left, and somebody might have been
};

}  // namespace pty
