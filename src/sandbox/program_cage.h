// SPDX-License-Identifier: Apache-2.0
// ProgramCage: what the keeper of a sandbox does to the programs that it starts, and what it knows of the
// outside. The keeper itself has no capability any more either, but no filter: it must look at its programs.
#pragma once
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/fd.h"
#include "pty/cage.h"
#include "sandbox/filter.h"
#include "sandbox/landlock.h"

namespace sandbox {

class ProgramCage final : public pty::Cage {
 public:
  struct Parts {
    Landlock landlock = {};
    base::Fd outside_proc = {};  // /proc as it was outside
    base::Fd helper = {};        // the line to the process that has stayed outside (outside.h)
    std::vector<std::string> missing = {};
  };
  explicit ProgramCage(Parts parts) : parts_(std::move(parts)) {}

  bool confine() const noexcept override;
  const std::vector<std::string>& missing() const override { return parts_.missing; }
  pid_t number_outside(pid_t pid) const override;
  void start_outside(const pty::Command& command) override;

 private:
  Parts parts_;
  Filter filter_;
};

// All capabilities of this process, and of all that it will ever start. False with errno.
bool drop_capabilities() noexcept;

}  // namespace sandbox
