// SPDX-License-Identifier: Apache-2.0
// The rest of an attachment, once the daemon has answered with `attached`: raw terminal, relay, and back.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/attachment.h"
#include "cli/user_terminal.h"
#include "wire/client.h"

namespace cli {

struct Relay {
  std::string role = "writer";
  bool follow_window = true;
  std::optional<char> detach_key;
};

// Says on the terminal how it ended, unless the program did.
base::Result<AttachmentEnd> relay(UserTerminal& terminal, wire::Client client,
                                  const wire::json::object& attached, const Relay& options);

}  // namespace cli
