// SPDX-License-Identifier: Apache-2.0
// Execution: a command laid out in memory before a fork, so that between fork and exec nothing is called but
// what is safe in a signal handler.
#pragma once
#include <string>
#include <vector>

#include "pty/pty.h"

namespace pty {

class Execution {
 public:
  // Points into the command, which must outlive it and have a program.
  explicit Execution(const Command& command);

  // For the child. False, with errno, where the folder cannot be entered.
  bool enter_folder() const;
  // Default for every signal, none blocked.
  static void reset_signals();
  // Comes back only when the program cannot be run; errno says why.
  void execute();

 private:
  const char* cwd_;
  mode_t umask_;
  std::vector<std::string> files_;
  std::vector<char*> argv_;
  std::vector<char*> env_;
  std::vector<char*> shell_argv_;
};

}  // namespace pty
