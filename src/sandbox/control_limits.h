// SPDX-License-Identifier: Apache-2.0
// ControlLimits: a control group (version 2) with bounds on memory, processes and processor time for one
// session. It can be had only where a cgroup is delegated to the user and has these controllers.
#pragma once
#include <string>
#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"
#include "sandbox/plan.h"

namespace sandbox {

class ControlLimits {
 public:
  static base::Result<ControlLimits> make(const std::string& name, const Limits& limits);

  ControlLimits(ControlLimits&&) noexcept = default;
  ControlLimits& operator=(ControlLimits&&) noexcept = default;
  ~ControlLimits();

  base::Result<void> add(pid_t pid) const;

 private:
  ControlLimits(base::Fd parent, base::Fd folder, std::string name)
      : parent_(std::move(parent)), folder_(std::move(folder)), name_(std::move(name)) {}

  base::Fd parent_;
  base::Fd folder_;
  std::string name_;
};

// 0, or why there can be none.
int try_limits();

}  // namespace sandbox
