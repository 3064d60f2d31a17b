// SPDX-License-Identifier: Apache-2.0
// Feeding, writing and reading. What each control function does to rows is in screen_controls.cc.
#include "loop/screen_lines.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "vt/logical_line.h"
#include "vt/parser_feed.h"

namespace loop {
namespace {

// Its scrollback is only there for a line that is longer than the screen.
vt::Options screen_options() {
  vt::Options options;
  options.scrollback_rows = ScreenLines::kMostJoined + 2;
  return options;
}

}  // namespace

ScreenLines::ScreenLines(vt::Size size, Take& take)
    : take_(take), screen_(size, screen_options()), memory_(screen_.size().rows) {}

void ScreenLines::feed(std::string_view bytes) {
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  passed_ = p;
  while (p != end) {
    if (parser_.between_sequences()) {
      const size_t size = vt::scan_text(p, end).size;
      if (size != 0) {
        pass_on(p);
        write({p, size});
        p += size;
        passed_ = p;
        continue;
      }
    }
    one_byte(p++);
  }
  pass_on(end);
}

// A sequence does nothing before its last byte, so the screen gets it whole, when it is known what it does.
void ScreenLines::one_byte(const char* p) {
  found_ = Found::nothing;
  at_ = p;
  parser_.feed({p, 1}, *this);
  if (found_ == Found::nothing) return;
  if (found_ == Found::text) {
    pass_on(p);
    write({p, 1});
    passed_ = p + 1;
    return;
  }
  const vt::Cursor before = screen_.cursor();
  const vt::Which showing = screen_.showing();
  pass_on(p + 1);
  if (std::exchange(repeats_, false))
    note_repeated(before);
  else
    leave_if_moved(before, showing);
}

void ScreenLines::note_repeated(vt::Cursor before) {
  const vt::Cursor after = screen_.cursor();
  if (after.y == before.y && after.x >= before.x)
    note_written();
  else
    unread_ = {true, {0, after.x}, {}};
}

void ScreenLines::pass_on(const char* end) {
  if (passed_ != end) screen_.feed({passed_, end});
  passed_ = end;
}

// A cursor that was only moved has left its row as it was: it can be read now.
void ScreenLines::leave_if_moved(vt::Cursor before, vt::Which showing) {
  if (screen_.showing() != showing) {
    memory_.forget();
  } else if (screen_.cursor().y == before.y) {
    return;
  } else {
    read_row(before.y);
  }
  unread_ = {};
  wraps_ = 0;
  cut_ = Cut::none;
}

void ScreenLines::print(const char*, vt::TextRun) { found_ = Found::text; }

// Writes as much at a time as surely stays before the row's last column: no byte makes more than one column,
// but for the one that ends a character whose first bytes came before.
void ScreenLines::write(std::string_view text) {
  while (!text.empty()) {
    const int x = screen_.cursor().x;
    const bool maybe_wide = (text.front() & 0x80) != 0;
    begin_run(x);
    if (unread_.before.cross(x, x + (maybe_wide ? 2 : 1))) {
      read();
      begin_run(x);
    }
    size_t size = 1;
    if (x >= columns() - 1) {
      write_at_edge(text.substr(0, 1));
    } else {
      const int room = columns() - 1 - x - (half_character_ ? 1 : 0);
      if (x >= unread_.before.from) size = std::min(text.size(), static_cast<size_t>(std::max(room, 1)));
      screen_.feed(text.substr(0, size));
      note_written();
    }
    half_character_ = (text[size - 1] & 0x80) != 0;
    text.remove_prefix(size);
  }
}

void ScreenLines::begin_run(int x) {
  Columns& run = unread_.run;
  Columns& before = unread_.before;
  if (unread_.any && run.to == x) return;
  if (run.from != run.to)
    before = before.from == before.to ? run
                                      : Columns{std::min(before.from, run.from), std::max(before.to, run.to)};
  run = {x, x};
}

void ScreenLines::note_written() {
  unread_.any = true;
  unread_.run.to = std::max(unread_.run.from, screen_.cursor().x);
  if (cut_ == Cut::whole && wraps_ == 0) cut_ = Cut::grown;
}

// The next character may not fit the row any more.
void ScreenLines::write_at_edge(std::string_view byte) {
  const vt::Cursor before = screen_.cursor();
  const bool may_wrap = before.x >= columns() || (byte[0] & 0x80) != 0;
  if (may_wrap && wraps_ >= room_above()) {
    read();
    begin_run(before.x);
    wraps_ = 0;
    cut_ = Cut::whole;
  }
  const bool scrolls = before.y == region().bottom;
  const uint64_t scrolled = scrolled_off();
  screen_.feed(byte);
  const vt::Cursor after = screen_.cursor();
  const bool elsewhere = after.y != before.y || scrolled_off() != scrolled || (scrolls && after.x < before.x);
  if (!elsewhere || !screen_.modes()[vt::Mode::autowrap]) return note_written();
  if (scrolls) memory_.scroll_up(region(), 1);
  wraps_++;
  unread_ = {true, {0, after.x}, {}};
}

// A control ends a character of which the rest did not come. NUL does that, and nothing else, in the middle
// of a sequence too.
void ScreenLines::finish_character() {
  if (!half_character_) return;
  half_character_ = false;
  pass_on(at_);
  begin_run(screen_.cursor().x);
  write_at_edge(std::string_view("\0", 1));
}

// How many rows a line may have before its first one is scrolled away for good.
int ScreenLines::room_above() const {
  const vt::Region rows = region();
  const bool kept = screen_.showing() == vt::Which::main && rows.top == 0;
  return kept ? kMostJoined - 1 : rows.bottom - rows.top;
}

bool ScreenLines::is_wrapped(int y) const {
  if (y >= 0) return screen_.buffer(screen_.showing()).page.row(y).wrapped;
  const vt::Scrollback& above = screen_.scrollback();
  return above.info(above.size() - static_cast<size_t>(-y)).wrapped;
}

int ScreenLines::first_row(int y) const {
  const int scrollback = static_cast<int>(screen_.scrollback().size());
  const int top = screen_.showing() == vt::Which::main ? -scrollback : 0;
  const int since = cut_ == Cut::whole ? std::max(wraps_ - 1, 0) : wraps_;
  const int most = cut_ == Cut::none ? kMostJoined - 1 : since;
  const int last = std::max(top, y - most);
  while (y > last && is_wrapped(y)) y--;
  return y;
}

std::string ScreenLines::text_of(int first, int last) const {
  const vt::Row& row = screen_.buffer(screen_.showing()).page.row(last);
  if (first == last && row.is_text()) {
    std::string text(row.text());
    std::ranges::replace(text, '\0', ' ');
    text.resize(text.find_last_not_of(' ') + 1);
    return text;
  }
  vt::LogicalLine joined(columns());
  vt::Line line;
  for (int y = first; y <= last; y++) {
    screen_.read(y, line);
    joined.add(line);
  }
  return joined.line().text();
}

void ScreenLines::read_row(int y) {
  if (!unread_.any) return;
  unread_ = {};
  const int first = first_row(y);
  const std::string text = text_of(first, y);
  if (text.empty()) return;
  if (memory_.is_new({first, y}, std::hash<std::string>()(text))) take_(text);
}

void ScreenLines::leave() {
  read();
  unread_ = {};
  wraps_ = 0;
  cut_ = Cut::none;
}

void ScreenLines::resize(vt::Size size) {
  leave();
  screen_.resize(size);
  memory_.reset(screen_.size().rows);
}

}  // namespace loop
