// SPDX-License-Identifier: Apache-2.0
// A pseudo-terminal and the program in it: everything about them that depends on the platform, as functions
// over descriptors and process ids. POSIX stands in pty.cc; another platform is another file behind this
// header. Reading is the pump's work (pump.h), writing the write queue's (write_queue.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace pty {

constexpr uint16_t kMostCells = 1000;  // of a row or a column

struct Size {
  uint16_t cols = 80;
  uint16_t rows = 24;
  bool operator==(const Size&) const = default;
};

struct Command {
  std::vector<std::string> argv;  // argv[0] is looked for along the PATH of `env` if it has no slash
  std::vector<std::string> env;   // "NAME=value"; all that the program gets
  std::string cwd;                // empty: the folder of the process that spawns
  mode_t umask = 022;
};

// How a program ended: with a code, or by a signal (then code is 128 + signal, as shells count).
struct ExitStatus {
  int code = 0;
  int signal = 0;
  bool operator==(const ExitStatus&) const = default;
};

ExitStatus decode_wait_status(int status);

// What is taken from a program between fork and exec, where only what is safe in a signal handler may be
// called.
class Confinement {
 public:
  virtual ~Confinement() = default;
  // False, with errno, where it cannot be had: the program is not started then.
  virtual bool confine() const noexcept = 0;
};

// The master's side, nonblocking and close-on-exec, with the size set.
base::Result<base::Fd> open_master(Size size);

// Starts the command as the leader of a session of its own, with the slave as its controlling terminal and as
// 0, 1 and 2, and nothing else of this process: no descriptor, no signal setting, no environment. Whatever
// keeps the command from running (no such program, not executable, no such folder) is the error here.
// `group`: the folder of the control group to be born in, or -1.
base::Result<pid_t> spawn(int master, const Command& command, int group = -1,
                          const Confinement* confinement = nullptr);

base::Result<void> resize(int master, Size size);
base::Result<Size> size_of(int master);

// To the process group in the foreground of the terminal.
base::Result<void> signal_foreground(int master, int signo);

struct Exited {
  pid_t pid;
  ExitStatus status;
};

// One child of this process that has ended, if there is one; never waits.
std::optional<Exited> wait_any();

}  // namespace pty
