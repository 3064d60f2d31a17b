// SPDX-License-Identifier: Apache-2.0
// Who is in the foreground of a terminal: found by walking down from its first process, never by going
// through all processes of the system.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

#include "pty/probe_proc.h"

namespace pty::probe {

constexpr size_t kMostProcesses = 256;  // walked through in one look
constexpr size_t kMostThreads = 1024;

struct Group {
  std::vector<pid_t> processes;
  std::vector<Task> threads;
  // Threads of descendants that left the terminal's session (setsid, su) and may still have it open. They
  // count if they read it, but whatever else they do is no work of the group.
  std::vector<Task> guests;
  std::string leader;  // its name, or that of the first one found
  bool whole = true;   // false if a bound cut the walk short
};

// Orphans of the session are looked for among the children of the calling process, too: it is their reaper.
Group find_group(pid_t first, pid_t session, pid_t group);

}  // namespace pty::probe
