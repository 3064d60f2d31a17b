// SPDX-License-Identifier: Apache-2.0
#include "vt/text_view.h"

#include <algorithm>

#include "vt/logical_line.h"

namespace vt {
namespace {

int first_row(const Screen& screen, size_t scrollback) {
  if (screen.showing() == Which::alternate) return 0;
  return -static_cast<int>(std::min(scrollback, screen.scrollback().size()));
}

}  // namespace

std::vector<std::string> rows(const Screen& screen, size_t scrollback) {
  std::vector<std::string> out;
  Line line;
  for (int y = first_row(screen, scrollback); y < screen.size().rows; y++) {
    screen.read(y, line);
    out.push_back(line.text());
  }
  return out;
}

std::vector<std::string> lines(const Screen& screen, size_t scrollback) {
  std::vector<std::string> out;
  LogicalLine line(screen.size().columns);
  Line row;
  for (int y = first_row(screen, scrollback); y < screen.size().rows; y++) {
    screen.read(y, row);
    if (!line.empty() && !row.wrapped) {
      out.push_back(line.line().text());
      line.clear();
    }
    line.add(row);
  }
  out.push_back(line.line().text());
  return out;
}

std::vector<std::string> around_cursor(const Screen& screen, Around around) {
  const int y = screen.cursor().y;
  const int first = std::max(y - around.above, first_row(screen, SIZE_MAX));
  const int last = std::min(y + around.below, screen.size().rows - 1);
  std::vector<std::string> out;
  Line line;
  for (int at = first; at <= last; at++) {
    screen.read(at, line);
    out.push_back(line.text());
  }
  return out;
}

}  // namespace vt
