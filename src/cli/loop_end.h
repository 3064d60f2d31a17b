// SPDX-License-Identifier: Apache-2.0
// How a loop ended, for whoever has seen it to its end.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "wire/client.h"

namespace cli {

// The `ended` that the runner wrote down; nothing if it was killed before.
std::optional<wire::json::object> ended_record(const std::string& folder);

enum class Summary { wanted, was_seen };

// Waits until everything of the session has ended, says how, and gives the loop's exit code.
base::Result<int> conclude_loop(wire::Client& client, const std::string& session, const std::string& folder,
                                Summary summary);

}  // namespace cli
