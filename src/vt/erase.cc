// SPDX-License-Identifier: Apache-2.0
// Erasing and shifting: whatever takes cells away or moves them.
#include <algorithm>

#include "vt/screen.h"

namespace vt {

// Columns from .top up to, not including, .bottom.
void Screen::erase_cells(int y, Region columns, Protection protection) {
  Row& row = on_->page.row(y);
  const uint32_t blank = blank_id();
  if (protection == Protection::ignore) {
    row.erase(columns.top, columns.bottom, blank);
    return;
  }
  for (int x = columns.top; x < std::min(columns.bottom, size_.columns); x++)
    if (!tables_.styles[row.at(x).style].has(kProtected)) row.erase(x, x + 1, blank);
}

void Screen::erase_row(int y, Protection protection) {
  if (protection == Protection::ignore)
    on_->page.row(y).clear(blank_id());
  else
    erase_cells(y, {0, size_.columns}, protection);
  on_->page.row(y).wrapped = false;
}

void Screen::erase_display(int what, Protection protection) {
  restrict_cursor(size_.columns);
  const auto [x, y] = on_->cursor;
  switch (what) {
    case 0:
      erase_cells(y, {x, size_.columns}, protection);
      if (x == 0) current_row().wrapped = false;
      for (int below = y + 1; below < size_.rows; below++) erase_row(below, protection);
      break;
    case 1:
      for (int above = 0; above < y; above++) erase_row(above, protection);
      erase_cells(y, {0, x + 1}, protection);
      current_row().wrapped = false;
      if (x + 1 >= size_.columns && y + 1 < size_.rows) on_->page.row(y + 1).wrapped = false;
      break;
    case 2:
      for (int row = 0; row < size_.rows; row++) erase_row(row, protection);
      break;
    case 3:
      if (which_ == Which::main) {
        scrollback_.clear();
        main_.page.row(0).wrapped = false;
      }
      break;
    default:
      break;
  }
}

void Screen::erase_line(int what, Protection protection) {
  restrict_cursor(size_.columns);
  const auto [x, y] = on_->cursor;
  switch (what) {
    case 0:
      erase_cells(y, {x, size_.columns}, protection);
      if (x == 0) current_row().wrapped = false;
      break;
    case 1:
      erase_cells(y, {0, x + 1}, protection);
      break;
    case 2:
      erase_cells(y, {0, size_.columns}, protection);
      current_row().wrapped = false;
      break;
    default:
      break;
  }
}

void Screen::insert_lines(int count) {
  restrict_cursor();
  Cursor& cursor = on_->cursor;
  if (cursor.y < on_->region.top || cursor.y > on_->region.bottom) return;
  on_->page.scroll_down({cursor.y, on_->region.bottom}, count, blank_id());
  cursor.x = 0;
}

void Screen::delete_lines(int count) {
  restrict_cursor();
  Cursor& cursor = on_->cursor;
  if (cursor.y < on_->region.top || cursor.y > on_->region.bottom) return;
  on_->page.scroll_up({cursor.y, on_->region.bottom}, count, blank_id());
  cursor.x = 0;
}

// One row up, as at a line feed: what leaves at the top of the main screen is kept.
void Screen::scroll() {
  const uint32_t blank = blank_id();
  if (which_ != Which::main || main_.region.top != 0 || scrollback_.most() == 0) {
    on_->page.scroll_up(on_->region, 1, blank);
    return;
  }
  scrollback_.push(main_.page.row(0), tables_);
  if (main_.region.bottom == size_.rows - 1) {
    main_.page.rotate(blank);
    return;
  }
  const bool continues = main_.page.row(1).wrapped;
  main_.page.scroll_up(main_.region, 1, blank);
  main_.page.row(0).wrapped = continues;
}

// SL, SR, DECIC, DECDC: the same shift in every row that scrolls.
void Screen::shift_columns(int at, int count, Shift shift) {
  if (on_->cursor.y < on_->region.top || on_->cursor.y > on_->region.bottom) return;
  at = std::min(at, size_.columns - 1);
  for (int y = on_->region.top; y <= on_->region.bottom; y++) {
    Row& row = on_->page.row(y);
    if (shift == Shift::insert)
      row.insert(at, count, blank_id());
    else
      row.remove(at, count, blank_id());
    row.wrapped = false;
  }
}

}  // namespace vt
