// SPDX-License-Identifier: Apache-2.0
// The user's terminal at a loop, from now to its end: at the agent's PTY, whichever agent runs there, or at
// the runner's where agents have none. The loop goes on without it, unless it is told to end.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/user_terminal.h"
#include "loop/mode.h"
#include "wire/client.h"

namespace cli {

struct LoopSeat {
  std::string session;  // id
  std::string name;
  std::string folder;  // of the loop
  bool headless = false;
  bool observe = false;
  bool resizes = false;  // the terminal's size is the agent's, though it only observes
  bool from_beginning = true;
  std::optional<char> detach_key = {};
  std::optional<wire::json::object> attached = {};  // to the runner's PTY already
};

// A terminal for a loop: one whose keyboard is ours only where its output is shown.
base::Result<UserTerminal> open_loop_terminal();

// The exit code of the loop, or 0 when it was left.
base::Result<int> view_loop(UserTerminal& terminal, wire::Client client, LoopSeat seat);

}  // namespace cli
