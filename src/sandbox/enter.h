// SPDX-License-Identifier: Apache-2.0
// enter(): from a plan to a process that is alone in a world of its own. The process that calls it stays
// outside (outside.h) and never comes back; what comes back is the first process of the new namespaces, with
// the new root, no capabilities, and the doors that it had before. Errors come back on either side.
#pragma once
#include <memory>
#include <optional>
#include <sys/types.h>

#include "base/result.h"
#include "pty/cage.h"
#include "pty/doors.h"
#include "sandbox/plan.h"

namespace sandbox {

struct Entered {
  pty::keeper::Doors doors;
  std::unique_ptr<pty::Cage> cage;
  std::optional<uid_t> outside_uid;  // as which the user outside is seen, if that is another number
};

// `peer`: a descriptor that the process outside must let go of.
base::Result<Entered> enter(Plan plan, pty::keeper::Doors doors, int peer);

}  // namespace sandbox
