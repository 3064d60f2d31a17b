// SPDX-License-Identifier: Apache-2.0
// Cage: what a keeper has of the sandbox that it is the first process of. The room `sandbox` builds it; a
// keeper without a sandbox has none.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

#include "pty/pty.h"

namespace pty {

class Cage : public Confinement {
 public:
  // What was asked for and could not be had, a sentence each.
  virtual const std::vector<std::string>& missing() const = 0;
  // The number that a process of this namespace has for those outside; 0 where that cannot be found out.
  virtual pid_t number_outside(pid_t pid) const = 0;
  // Starts a program that has nothing to do with the sandbox: see detached.h.
  virtual void start_outside(const Command& command) = 0;
};

}  // namespace pty
