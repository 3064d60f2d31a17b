// SPDX-License-Identifier: Apache-2.0
// Control sequences: which function a CSI asks for, and those that move the cursor.
#include <algorithm>

#include "vt/screen.h"

namespace vt {

void Screen::restrict_cursor(int last_column) {
  Cursor& cursor = on_->cursor;
  const Region rows = modes_[Mode::origin] ? on_->region : Region{0, size_.rows - 1};
  cursor.x = std::clamp(cursor.x, 0, last_column);
  if (last_column < size_.columns) behind_text_ = false;
  cursor.y = std::clamp(cursor.y, rows.top, rows.bottom);
}

void Screen::place_cursor(int x, int y) {
  on_->cursor = {x, modes_[Mode::origin] ? on_->region.top + y : y};
  restrict_cursor();
}

void Screen::move_cursor(int dx, int dy) {
  restrict_cursor();
  on_->cursor.x += dx;
  on_->cursor.y += dy;
  restrict_cursor();
}

// Up and down stop at the margins if they start within.
void Screen::move_up(int count) {
  const int room = on_->cursor.y - on_->region.top;
  move_cursor(0, -(room >= 0 ? std::min(room, count) : count));
}

void Screen::move_down(int count) {
  const int room = on_->region.bottom - on_->cursor.y;
  move_cursor(0, room >= 0 ? std::min(room, count) : count);
}

void Screen::set_region(const Sequence& sequence) {
  const int top = sequence.or_default(0, 1);
  int bottom = sequence.or_default(1, size_.rows);
  if (bottom > size_.rows) bottom = size_.rows;
  if (bottom <= top) return;
  on_->region = {top - 1, bottom - 1};
  place_cursor(0, 0);
}

void Screen::clear_tabs(int what) {
  if (what == 0 && on_->cursor.x < size_.columns) on_->tabs[static_cast<size_t>(on_->cursor.x)] = false;
  if (what == 3) on_->tabs.assign(on_->tabs.size(), false);
}

void Screen::control(const Sequence& sequence) {
  if (partial_size_ != 0) [[unlikely]]
    drop_partial();
  if (sequence.final == 'm' && sequence.prefix == 0 && sequence.intermediate_count == 0)
    return select_rendition(sequence);
  if (sequence.intermediate_count != 0) return control_intermediate(sequence);
  switch (sequence.prefix) {
    case 0:
      control_plain(sequence);
      break;
    case '?':
      control_private(sequence);
      break;
    default:
      control_keys(sequence);
      break;
  }
}

bool Screen::control_plain(const Sequence& sequence) {
  const int first = sequence.at(0);
  const int count = sequence.or_default(0, 1);
  Cursor& cursor = on_->cursor;
  switch (sequence.final) {
    case 'm':
      select_rendition(sequence);
      return true;
    case 'H':
    case 'f':
      place_cursor(sequence.or_default(1, 1) - 1, count - 1);
      return true;
    case 'A':
      move_up(count);
      return true;
    case 'B':
      move_down(count);
      return true;
    case 'C':
    case 'a':
      move_cursor(count, 0);
      return true;
    case 'D':
      move_cursor(-count, 0);
      return true;
    case 'e':
      move_cursor(0, count);
      return true;
    case 'E':
      move_down(count);
      cursor.x = 0;
      return true;
    case 'F':
      move_up(count);
      cursor.x = 0;
      return true;
    case 'G':
    case '`':
      cursor.x = count - 1;
      restrict_cursor();
      return true;
    case 'd':
      place_cursor(cursor.x, count - 1);
      return true;
    case 'I':
      tab(count);
      return true;
    case 'Z':
      tab_back(count);
      return true;
    case 'J':
      erase_display(first, Protection::ignore);
      return true;
    case 'K':
      erase_line(first, Protection::ignore);
      return true;
    case 'X':
      restrict_cursor();
      current_row().erase(cursor.x, cursor.x + count, blank_id());
      return true;
    case '@':
      restrict_cursor();
      current_row().insert(cursor.x, count, blank_id());
      return true;
    case 'P':
      restrict_cursor();
      current_row().remove(cursor.x, count, blank_id());
      return true;
    case 'L':
      insert_lines(count);
      return true;
    case 'M':
      delete_lines(count);
      return true;
    case 'S':
      on_->page.scroll_up(on_->region, count, blank_id());
      return true;
    case 'T':
      // With five parameters it would be the mouse tracking of old.
      if (sequence.count < 5) on_->page.scroll_down(on_->region, count, 0);
      return true;
    case 'b':
      repeat(count);
      return true;
    case 'g':
      clear_tabs(first);
      return true;
    case 'h':
      set_modes(sequence, Switch::on);
      return true;
    case 'l':
      set_modes(sequence, Switch::off);
      return true;
    case 'r':
      set_region(sequence);
      return true;
    case 's':
      save_cursor();
      return true;
    case 'u':
      restore_cursor();
      return true;
    case 't':
      window_operation(sequence);
      return true;
    case 'n':
      device_status(sequence);
      return true;
    case 'c':
      if (first == 0) reply("\x1b[?62;6;22;52c");
      return true;
    default:
      return false;
  }
}

bool Screen::control_private(const Sequence& sequence) {
  switch (sequence.final) {
    case 'h':
    case 'l':
      for (size_t i = 0; i < sequence.count; i++)
        set_private_mode(sequence.values[i], sequence.final == 'h' ? Switch::on : Switch::off);
      return true;
    case 'J':
      erase_display(sequence.at(0), Protection::respect);
      return true;
    case 'K':
      erase_line(sequence.at(0), Protection::respect);
      return true;
    case 'n':
      device_status(sequence);
      return true;
    case 'u':
      reply("\x1b[?" + std::to_string(on_->keyboard.flags()) + "u");
      return true;
    default:
      return false;
  }
}

// Prefixes < = >: how keys are sent, and what the terminal is.
bool Screen::control_keys(const Sequence& sequence) {
  const int first = sequence.at(0);
  switch (sequence.final) {
    case 'u':
      if (sequence.prefix == '>') on_->keyboard.push(first);
      if (sequence.prefix == '<') on_->keyboard.pop(sequence.or_default(0, 1));
      if (sequence.prefix == '=') on_->keyboard.set(first, sequence.or_default(1, 1));
      return true;
    case 'm':
      if (sequence.prefix != '>') return false;
      if (first == 4) modify_other_keys_ = std::clamp(sequence.at(1), 0, 3);
      if (first == 0) modify_other_keys_ = 0;
      return true;
    case 'n':
      if (sequence.prefix == '>' && first == 4) modify_other_keys_ = 0;
      return true;
    case 'c':
      if (sequence.prefix == '>' && first == 0) reply("\x1b[>0;276;0c");
      if (sequence.prefix == '=' && first == 0) reply("\x1bP!|74656E64\x1b\\");
      return true;
    case 'q':
      if (sequence.prefix == '>' && first == 0) reply("\x1bP>|" + options_.version + "\x1b\\");
      return true;
    default:
      return false;
  }
}

void Screen::control_intermediate(const Sequence& sequence) {
  if (sequence.intermediate_count != 1) return;
  const int first = sequence.at(0);
  const int count = sequence.or_default(0, 1);
  const auto is = [&](char prefix, char intermediate, char final) {
    return sequence.prefix == prefix && sequence.intermediates[0] == intermediate && sequence.final == final;
  };
  if (is(0, ' ', 'q')) {
    if (first <= 6) cursor_shape_ = first;
  } else if (is(0, '!', 'p')) {
    soft_reset();
  } else if (is(0, '"', 'q')) {
    Style pen = pen_;
    if (first == 1) pen.attributes |= kProtected;
    if (first == 0 || first == 2) pen.attributes &= static_cast<uint16_t>(~kProtected);
    change_pen(pen);
  } else if (is(0, '$', 'p')) {
    request_mode(ModeSpace::ansi, first);
  } else if (is('?', '$', 'p')) {
    request_mode(ModeSpace::dec, first);
  } else if (is(0, ' ', '@')) {
    shift_columns(0, count, Shift::remove);
  } else if (is(0, ' ', 'A')) {
    shift_columns(0, count, Shift::insert);
  } else if (is(0, '\'', '}')) {
    shift_columns(on_->cursor.x, count, Shift::insert);
  } else if (is(0, '\'', '~')) {
    shift_columns(on_->cursor.x, count, Shift::remove);
  }
}

}  // namespace vt
