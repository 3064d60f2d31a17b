// SPDX-License-Identifier: Apache-2.0
// Which sockets of a set stand for the outside, and which of these have a request in flight. Looks through
// copies of the descriptors that are closed at once; nothing is read from them.
#pragma once
#include <cstdint>
#include <span>
#include <sys/types.h>

#include "base/fd.h"
#include "pty/probe_sets.h"

namespace pty::probe {

// Takes out of the set the sockets that listen, those whose other end is in the group, and those that are
// only written to; gives the number of TCP connections with a request in flight: being made, not
// acknowledged, or with something sent since something last came. Never a proof that nothing is under way.
uint16_t weigh_sockets(Task task, WaitSet& set, std::span<const pid_t> group);

// A copy of another process's descriptor; none where that is refused.
base::Fd copy_descriptor(Task task, int fd);

}  // namespace pty::probe
