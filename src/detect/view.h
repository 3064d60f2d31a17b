// SPDX-License-Identifier: Apache-2.0
// View: what a person who looks at the screen reads: lines as they were printed, wrapped rows joined (but for
// programs of the whole screen, which place every row), with the cursor's place among them. It reaches as far
// back as its horizon says, and down to the last row of the screen.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vt/line.h"
#include "vt/screen.h"

namespace detect {

struct Horizon {
  size_t lines = 200;
  size_t bytes = 64 << 10;
};

struct ViewLine {
  std::string text;  // without blanks at its end
  vt::Line line;     // its cells, with their styles
  int row = 0;       // first row on the screen; below 0 in the scrollback
  bool blank() const { return text.empty(); }
};

struct View {
  std::vector<ViewLine> lines;  // at least one
  size_t cursor_line = 0;
  size_t cursor_column = 0;  // cells from the beginning of its line
  std::string cursor_row;    // the row alone, as it stands on the screen
  bool cursor_visible = true;
  bool alternate = false;
  bool application_cursor = false;  // arrow keys are sent as programs of the whole screen want them
  int rows = 0;                     // of the screen
  uint64_t first_row = 0;           // rows above row 0 of the screen, since the beginning

  static View of(const vt::Screen& screen, const Horizon& horizon);

  const ViewLine& at_cursor() const { return lines[cursor_line]; }
  // The text of the cursor's line up to the cursor, blanks at its end included.
  std::string before_cursor() const;
  size_t last_text_line() const;  // the index of the last line that is not blank, or 0
  uint64_t absolute(const ViewLine& line) const {
    return first_row + static_cast<uint64_t>(static_cast<int64_t>(line.row));
  }
  // The end of what stands before the cursor, or before the end of the screen where no cursor shows.
  std::string tail(size_t characters) const;
};

// Without blanks and the borders of a box on both sides.
std::string_view inside_border(std::string_view text);
std::string_view trim(std::string_view text);

}  // namespace detect
