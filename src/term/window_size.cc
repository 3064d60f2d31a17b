// SPDX-License-Identifier: Apache-2.0
#include "term/window_size.h"

#include <algorithm>

#include "base/strings.h"

namespace term {
namespace {

constexpr unsigned short kMost = 1000;

unsigned short dimension(unsigned short answered, const Lookup& lookup, const char* name,
                         unsigned short otherwise) {
  if (answered > 0) return std::min(answered, kMost);
  return base::parse_number<unsigned short>(value_of(lookup, name), 1, kMost).value_or(otherwise);
}

}  // namespace

WindowSize window_size_from(const std::optional<winsize>& answer, const Lookup& lookup) {
  const winsize said = answer.value_or(winsize{});
  return {.cols = dimension(said.ws_col, lookup, "COLUMNS", 80),
          .rows = dimension(said.ws_row, lookup, "LINES", 24),
          .width_px = said.ws_xpixel,
          .height_px = said.ws_ypixel};
}

WindowSize window_size(int fd, const Lookup& lookup) {
  winsize answer{};
  if (::ioctl(fd, TIOCGWINSZ, &answer) != 0) return window_size_from({}, lookup);
  return window_size_from(answer, lookup);
}

}  // namespace term
