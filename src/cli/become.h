// SPDX-License-Identifier: Apache-2.0
// The client is small, and what it does not carry itself it turns into.
#pragma once
#include <string>
#include <vector>

namespace cli {

// This process becomes another program of tend's. Comes back only if it cannot: with the exit code, and the
// reason is printed.
int become(const std::string& name, std::vector<std::string> arguments);

}  // namespace cli
