// SPDX-License-Identifier: Apache-2.0
#include "cli/size.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace cli {

base::Result<pty::Size> parse_size(std::string_view text, std::string_view what) {
  const auto parts = base::split(text, 'x');
  if (parts.size() == 2) {
    const auto cols = base::parse_number<uint16_t>(parts[0], 1, pty::kMostCells);
    const auto rows = base::parse_number<uint16_t>(parts[1], 1, pty::kMostCells);
    if (cols && rows) return pty::Size{*cols, *rows};
  }
  return base::fail(base::Code::invalid_param, 0,
                    fmt::format("{} is COLSxROWS, each from 1 to 1000, as in 120x30", what));
}

}  // namespace cli
