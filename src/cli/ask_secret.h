// SPDX-License-Identifier: Apache-2.0
// A secret from the person at the terminal, who does not see it typed, or a line of standard input.
#pragma once
#include <string>

#include "base/result.h"

namespace cli {

// `what` is what is asked for, as "Token of the bot".
base::Result<std::string> ask_secret(const std::string& what);

}  // namespace cli
