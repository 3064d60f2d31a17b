// SPDX-License-Identifier: Apache-2.0
// The screen as text, and as JSON for programs. Text is valid UTF-8 without control characters, whatever the
// program printed; blanks at the end of a row are cut.
#pragma once
#include <string>
#include <vector>

#include "vt/screen.h"

namespace vt {

// Rows of the screen that shows, top to bottom, after `scrollback` rows of what is above them (main screen
// only).
std::vector<std::string> rows(const Screen& screen, size_t scrollback = 0);

// The same with what was wrapped joined again: a line as the program printed it.
std::vector<std::string> lines(const Screen& screen, size_t scrollback = 0);

// The cursor's row with some above and below it, as far as there are any.
struct Around {
  int above = 0;
  int below = 0;
};
std::vector<std::string> around_cursor(const Screen& screen, Around around);

// Size, cursor, titles, modes that are not as after a reset, marks, and every row with its runs of one style.
std::string json(const Screen& screen, size_t scrollback = 0);

}  // namespace vt
