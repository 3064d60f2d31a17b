// SPDX-License-Identifier: Apache-2.0
// Processes as /proc shows them, and signals that reach the process that was looked at and no other that has
// taken its number since.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pty {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  char state = '?';
  uint64_t started = 0;  // clock ticks since boot: with the pid, one process for ever

  bool dead() const { return state == 'Z' || state == 'X'; }
  bool operator==(const Process& other) const { return pid == other.pid && started == other.started; }
};

std::optional<Process> look_at(pid_t pid);
std::vector<Process> all_processes();

// "NAME=value" entries that it was started with, each closed by a zero byte; empty where this process may not
// look.
std::string environment_of(pid_t pid);

bool ignores_signal(pid_t pid, int signo);
// What it does with a signal; what it ignores, it may block besides.
enum class Hearing { takes, blocks, ignores };
Hearing hearing_of(pid_t pid, int signo);

// False when it is gone.
bool signal_process(const Process& process, int signo);

}  // namespace pty
