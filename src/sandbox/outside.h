// SPDX-License-Identifier: Apache-2.0
// The process that stays outside: the parent of a sandbox's first process. It does what can be done only
// there: starts a new daemon when the keeper wants one, runs the proxy, and when the keeper has gone throws
// the overlay away and the proxy out. Killing it harms no session; it only goes without these then.
#pragma once
#include <sys/types.h>

#include "base/fd.h"
#include "pty/pty.h"
#include "sandbox/plan.h"

namespace sandbox {

// Until the other end of the line is closed. `keeper` is a child of this process.
void stay_outside(const Plan& plan, base::Fd line, pid_t keeper);

// For the other end.
void ask_to_start(int line, const pty::Command& command);
void hand_listener(int line, int listener);

}  // namespace sandbox
