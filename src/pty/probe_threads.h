// SPDX-License-Identifier: Apache-2.0
// What one thread is doing, as far as a terminal is concerned: from the system call that it is blocked in.
#pragma once
#include <array>
#include <cstdint>

#include "pty/probe_proc.h"
#include "pty/probe_sets.h"

namespace pty::probe {

enum class Doing : uint8_t {
  ended,
  stopped,
  works,            // on a processor or about to be, or waits for a disk
  reads,            // the terminal
  waits_alone,      // for the terminal and nothing else, without end
  waits_timed,      // for the terminal and nothing else, with a timeout
  waits_among,      // for the terminal among other sources
  waits_elsewhere,  // for other sources
  reads_pipe,
  other_io,  // blocked in anything else: a socket, a lock, a file
  naps,      // until a time
  idles,     // until another thread or process, or itself, wakes it
  hidden,    // may not be looked into, or cannot
};

struct Blocked {
  long number = -1;  // of the system call; -1: in none
  std::array<uint64_t, 6> args{};
  uint64_t stack = 0;
  bool operator==(const Blocked&) const = default;
};

struct Thread {
  Task task;
  Doing doing = Doing::hidden;
  WaitSet set = {};  // for the four that wait, and the pipe that is read

  Blocked blocked = {};

  bool wants_terminal() const { return doing >= Doing::reads && doing <= Doing::waits_among; }
};

Thread look_at_thread(Search& search, Task task);

// Whether it is blocked where it was. It may have run in between; Turns tells.
bool is_still_there(const Thread& thread);

// What a thread that waits for a set is doing; to be asked again when sources were taken out of the set.
Doing judge(const WaitSet& set);

}  // namespace pty::probe
