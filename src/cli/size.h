// SPDX-License-Identifier: Apache-2.0
// COLSxROWS, as it is typed.
#pragma once
#include <string_view>

#include "base/result.h"
#include "pty/pty.h"

namespace cli {

// `what` stands in the error: an option, or the argument's name.
base::Result<pty::Size> parse_size(std::string_view text, std::string_view what);

}  // namespace cli
