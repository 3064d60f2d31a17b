// SPDX-License-Identifier: Apache-2.0
// The options that go before every command.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct GlobalOptions {
  std::optional<std::string> config_file;  // --config
  std::vector<std::string> assignments;    // --set, section.key=value each
};

}  // namespace cli
