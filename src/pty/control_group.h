// SPDX-License-Identifier: Apache-2.0
// ControlGroup: a cgroup (version 2) below this process's own, for one PTY. Nothing that is started in it
// gets out by forking or setsid, and one write kills all of it. Not everyone may make one (a login session's
// is root's); then there is none, and the processes are found by looking (termination.h).
#pragma once
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/fd.h"

namespace pty {

// The folder of this process's own group; empty where version 2 is not mounted.
std::string own_control_group();
base::Fd open_own_control_group();

class ControlGroup {
 public:
  // Below the group with this folder.
  static std::optional<ControlGroup> create(int parent, const std::string& name);

  ControlGroup(ControlGroup&& other) noexcept = default;
  ControlGroup& operator=(ControlGroup&& other) noexcept = default;
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;
  ~ControlGroup() { remove(); }

  // Where a process is born into it (CLONE_INTO_CGROUP).
  int folder() const { return folder_.get(); }
  std::vector<pid_t> members() const;
  void kill_all();
  // Whoever is born in a group that was killed once is killed at birth (Linux 6.14 and later take it for one
  // that was forked meanwhile): it is not to be used again.
  bool is_spent() const { return spent_; }

 private:
  ControlGroup(base::Fd parent, base::Fd folder, base::Fd procs, std::string name)
      : parent_(std::move(parent)),
        folder_(std::move(folder)),
        procs_(std::move(procs)),
        name_(std::move(name)) {}
  void remove();

  base::Fd parent_;
  base::Fd folder_;
  base::Fd procs_;
  std::string name_;
  bool spent_ = false;
};

}  // namespace pty
