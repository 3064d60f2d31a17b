// SPDX-License-Identifier: Apache-2.0
// What comes from standard input, for arguments that are "-".
#pragma once
#include <cstddef>
#include <string>

#include "base/result.h"

namespace cli {

// All of it; more than `most` bytes is an error.
base::Result<std::string> read_input(size_t most);

}  // namespace cli
