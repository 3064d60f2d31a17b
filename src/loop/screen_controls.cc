// SPDX-License-Identifier: Apache-2.0
// What control functions do to what was not read yet, and to rows that were. A function that only moves the
// cursor needs nothing here: if it has left the row afterwards, the row still stands there.
#include <algorithm>

#include "loop/screen_lines.h"

namespace loop {

// A row that something was taken out of reads otherwise now, though nothing was written.
void ScreenLines::changed_at(int x) {
  if (!unread_.any) unread_ = {true, {x, x}, {}};
}

void ScreenLines::execute(unsigned char control) {
  found_ = Found::control;
  finish_character();
  const vt::Cursor at = screen_.cursor();
  if (control == '\n' || control == '\v' || control == '\f') {
    leave();
    if (at.y == region().bottom) memory_.scroll_up(region(), 1);
  }
  // It may go back over a wrap, and then takes it away.
  if (control == '\b' && at.x == 0 && screen_.modes()[vt::Mode::reverse_wrap]) leave();
}

void ScreenLines::escape(const vt::Sequence& sequence) {
  found_ = Found::control;
  finish_character();
  const int y = screen_.cursor().y;
  if (sequence.intermediate_count == 1 && sequence.intermediates[0] == '#') {
    leave();
    memory_.forget();
  }
  if (sequence.intermediate_count != 0) return;
  switch (sequence.final) {
    case 'D':
    case 'E':
      leave();
      if (y == region().bottom) memory_.scroll_up(region(), 1);
      break;
    case 'M':
      leave();
      if (y == region().top) memory_.scroll_down(region(), 1);
      break;
    case 'c':
      leave();
      memory_.forget();
      break;
    default:
      break;
  }
}

void ScreenLines::control(const vt::Sequence& sequence) {
  // A colour may wait for what follows it.
  if (sequence.final == 'm' && !half_character_) return;
  found_ = Found::control;
  finish_character();
  if (sequence.intermediate_count != 0) {
    // Those that shift columns, in all rows; and some that do not matter.
    if (sequence.final == '@' || sequence.final == 'A' || sequence.final == '}' || sequence.final == '~') {
      leave();
      memory_.forget();
      changed_at(screen_.cursor().x);
    }
  } else if (sequence.prefix == 0) {
    plain_control(sequence);
  } else if (sequence.prefix == '?') {
    private_control(sequence);
  }
}

void ScreenLines::private_control(const vt::Sequence& sequence) {
  const auto is_screen = [](int number) { return number == 47 || number == 1047 || number == 1049; };
  switch (sequence.final) {
    case 'h':
    case 'l':
      if (std::any_of(sequence.values.begin(), sequence.values.begin() + sequence.count, is_screen)) leave();
      break;
    case 'J':
      erase_display(sequence.at(0));
      break;
    case 'K':
      erase_line(sequence.at(0));
      break;
    default:
      break;
  }
}

void ScreenLines::plain_control(const vt::Sequence& sequence) {
  const vt::Cursor at = screen_.cursor();
  const int x = std::min(at.x, columns() - 1);
  const int count = sequence.or_default(0, 1);
  const vt::Region below{at.y, region().bottom};
  const bool within = at.y >= region().top && at.y <= region().bottom;
  switch (sequence.final) {
    case 'J':
      return erase_display(sequence.at(0));
    case 'K':
      return erase_line(sequence.at(0));
    case 'X':
      if (unread_.crosses(x, x + std::min(count, columns()))) read();
      return changed_at(x);
    case '@':
    case 'P':
      if (unread_.crosses(x, columns())) read();
      return changed_at(x);
    case 'L':
      leave();
      if (within) memory_.scroll_down(below, count);
      return;
    case 'M':
      leave();
      if (within) memory_.scroll_up(below, count);
      return;
    case 'S':
      leave();
      return memory_.scroll_up(region(), count);
    case 'T':
      leave();
      if (sequence.count < 5) memory_.scroll_down(region(), count);
      return;
    case 'b':
      return repeat(count);
    default:
      return;
  }
}

void ScreenLines::erase_line(int what) {
  const int x = screen_.cursor().x;
  const int left = what == 0 ? x : 0;
  const int right = what == 1 ? x + 1 : columns();
  if (what > 2) return;
  if (unread_.crosses(left, right)) read();
  changed_at(x);
}

void ScreenLines::erase_display(int what) {
  const int x = screen_.cursor().x;
  if (what > 2) return;
  // Upwards it takes the rows that this line was wrapped from.
  if (what != 0 || unread_.crosses(x, columns())) read();
  changed_at(x);
}

// REP. What may fill more than the row makes places uncertain, and is read again where it is drawn again.
void ScreenLines::repeat(int count) {
  const int x = screen_.cursor().x;
  const int widest = 2 * std::min(count, columns());
  repeats_ = true;
  begin_run(x);
  if (x + widest <= columns()) {
    if (unread_.before.cross(x, x + widest)) read();
  } else {
    leave();
    memory_.forget();
  }
  begin_run(x);
}

}  // namespace loop
