// SPDX-License-Identifier: Apache-2.0
// Reads a configuration file whole: a regular file of at most 1 MiB.
#pragma once
#include <expected>
#include <optional>
#include <string>

#include "config/problem.h"

namespace config {

enum class Found {
  by_name,    // the user asked for it: it must be there
  in_home,    // may be missing
  in_folder,  // may be missing, and must not be somebody else's: it decides which programs run
};

// Nothing: there is no such file, and there need not be.
std::expected<std::optional<std::string>, Problem> read_file(const std::string& path, Found found);

}  // namespace config
