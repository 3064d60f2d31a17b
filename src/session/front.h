// SPDX-License-Identifier: Apache-2.0
// Front: the program that has a terminal, as a look found it, and whether it would take a command now.
#pragma once
#include <string>
#include <sys/types.h>

#include "exec/program.h"
#include "pty/look.h"
#include "vt/screen.h"

namespace session {

struct Front {
  enum class Stand {
    at_prompt,    // it takes a command
    asks,         // it waits for something else
    busy,         // it does not wait
    not_visible,  // it is not allowed to look
  };
  Stand stand = Stand::busy;
  exec::Shell shell = exec::Shell::none;
  exec::Repl repl = exec::Repl::none;
  bool shell_marks = false;  // a shell that is not known, but marks its prompt and commands (OSC 133)
  pid_t pid = 0;
  uint64_t turns = 0;  // how often it has run
  std::string name;    // of its executable
  std::string line;    // text in front of the cursor
  bool hides_input = false;

  bool takes_commands() const {
    return shell != exec::Shell::none || repl != exec::Repl::none || shell_marks;
  }
};

Front front_of(const pty::Look& look, const vt::Screen& screen);

// The name of a process' executable, or nothing.
std::string executable_of(pid_t pid);

// The text in front of the cursor, with the blanks that are part of it.
std::string line_at_cursor(const vt::Screen& screen);

}  // namespace session
