// SPDX-License-Identifier: Apache-2.0
// Starting a program that has nothing to do with the process that starts it: not its child, nor, below a
// subreaper, its descendant.
#pragma once
#include "base/result.h"
#include "pty/pty.h"

namespace pty {

// Starts the command as a child of this process's own parent (init, if this process has been left to it), in
// a session of its own, in this process's control group, on /dev/null, with none of its descriptors and
// signal settings. Does not wait: whether the program could be run, and how it ends, is not known here.
// Fails in the first process of a PID namespace, which has no parent.
base::Result<pid_t> start_detached(const Command& command);

}  // namespace pty
