// SPDX-License-Identifier: Apache-2.0
// The rest of an attachment, once the daemon has answered with `attached`: raw terminal, relay, and back.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/attachment.h"
#include "cli/global_options.h"
#include "cli/settings.h"
#include "cli/user_terminal.h"
#include "wire/client.h"

namespace cli {

// What every command needs that puts the user's terminal at a PTY.
struct Opening {
  config::Loaded settings;
  UserTerminal terminal;
  wire::Client client;
};
base::Result<Opening> open_terminal(const GlobalOptions& global);

// The terminal's size, where it is one, as parameters of a request.
void add_window(wire::json::object& params, const UserTerminal& terminal);

struct Relay {
  std::string role = "writer";
  bool lossless = false;  // as the daemon was told when it was asked to attach
  bool follow_window = true;
  std::optional<char> detach_key;
};

// Says on the terminal how it ended, unless the program did.
base::Result<AttachmentEnd> relay(UserTerminal& terminal, wire::Client client,
                                  const wire::json::object& attached, const Relay& options);

}  // namespace cli
