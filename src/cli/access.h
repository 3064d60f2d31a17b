// SPDX-License-Identifier: Apache-2.0
// A command's way to the daemon, and what it asks it for.
#pragma once
#include <boost/json/array.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "wire/client.h"

namespace cli {

// The daemon, started if need be. An error here is exit code 4.
base::Result<wire::Client> reach_daemon();
base::Result<wire::Client> reach_daemon_as(const wire::Greeting& greeting);
// Only one that runs already.
base::Result<wire::Client> reach_running_daemon();
// The same, or nothing if none runs; one that begins or ends is waited for, and one that cannot be reached
// is an error.
base::Result<std::optional<wire::Client>> find_daemon();
base::Result<wire::Client> reach_running_daemon_as(const wire::Greeting& greeting);

// Asks for something that only looks or waits. If the daemon goes meanwhile, the next one is asked, for what
// is left of the time (`timeout_ms`): whoever waits does not notice that it was replaced.
base::Result<wire::json::value> look(wire::Client& client, std::string_view method,
                                     const wire::json::object& params);

// SESSION[:N].
struct Target {
  std::string session;
  std::optional<uint32_t> pty;
};
base::Result<Target> parse_target(std::string_view text);

// Parameters that name it.
wire::json::object to_params(const Target& target);

// All of them, however many answers that takes.
base::Result<wire::json::array> all_sessions(wire::Client& client,
                                             base::Duration deadline = std::chrono::seconds(30));

// The one session that lives, for commands that were given no name; the error lists them if there are
// several.
base::Result<Target> only_session(wire::Client& client);

}  // namespace cli
