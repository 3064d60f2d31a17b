// SPDX-License-Identifier: Apache-2.0
#include "vt/painter.h"

#include <algorithm>
#include <fmt/format.h>

#include "vt/rendition.h"
#include "vt/utf8.h"

namespace vt {
namespace {

// The column where the character starts that ends at the right edge; none where that is blank.
std::optional<size_t> last_character(const Line& line, int columns) {
  const auto edge = static_cast<size_t>(columns - 1);
  if (line.glyphs.size() <= edge || line.glyphs[edge].blank()) return {};
  return line.glyphs[edge].tail() ? edge - 1 : edge;
}

char mark_letter(MarkKind kind) { return "ABCD"[static_cast<size_t>(kind)]; }

}  // namespace

void Painter::fresh_screen() {
  pen({});
  out_ += "\x1b[2J";
  region_ = {0, INT32_MAX};
}

void Painter::set_region(Region region) {
  region_ = region;
  if (region == Region{0, size_.rows - 1}) return;
  out_ += fmt::format("\x1b[{};{}r", region.top + 1, region.bottom + 1);
  known_ = false;
}

void Painter::set_origin(Switch to) {
  const bool on = to == Switch::on;
  if (on == origin_) return;
  origin_ = on;
  out_ += on ? "\x1b[?6h" : "\x1b[?6l";
  known_ = false;
}

void Painter::link(uint32_t number) {
  if (number == 0) {
    out_ += "\x1b]8;;\x1b\\";
    return;
  }
  const Link link = screen_.link(number);
  out_ += fmt::format("\x1b]8;{}{};{}\x1b\\", link.id.empty() ? "" : "id=", link.id, link.uri);
}

void Painter::pen(const Style& style) {
  if (style == style_) return;
  const bool same_protection = style.has(kProtected) == style_.has(kProtected);
  Style before = style_;
  before.link = style.link;
  if (before != style) {
    // Some terminals end protection with an SGR 0, so it is said again.
    out_ += fmt::format("\x1b[{}m", rendition(style));
    if (style.has(kProtected))
      out_ += "\x1b[1\"q";
    else if (!same_protection)
      out_ += "\x1b[0\"q";
  }
  if (style.link != style_.link) link(style.link);
  style_ = style;
}

void Painter::go(int y, int x) {
  if (known_ && at_ == Cursor{x, y}) return;
  if (known_ && at_.y == y && !origin_)
    out_ += x == 0 ? std::string("\r") : fmt::format("\x1b[{}G", x + 1);
  else
    out_ += fmt::format("\x1b[{};{}H", y + 1 - (origin_ ? region_.top : 0), x + 1);
  at_ = {x, y};
  known_ = true;
}

// DECRSPS: reaches places that cursor movement does not. Terminals that do not know it put the cursor nearby.
void Painter::place(Cursor at) {
  const bool pending = at.x == size_.columns;
  out_ += fmt::format("\x1bP1$t{};{};1;@;@;{};0;2;@;BBBB\x1b\\", at.y + 1, std::min(at.x + 1, size_.columns),
                      pending ? 'H' : '@');
  at_ = at;
  known_ = true;
}

void Painter::cursor(Which which, Cursor at) {
  const bool reachable = !origin_ || (at.y >= region_.top && at.y <= region_.bottom);
  if (!reachable) return place(at);
  if (at.x < size_.columns) return go(at.y, at.x);
  Line line;
  screen_.read(which, at.y, line);
  go(at.y, size_.columns - 1);
  if (!pend_wrap(line, at.y)) place(at);
}

void Painter::cursor_behind_text(Which which, Cursor at) {
  Line line;
  screen_.read(which, at.y, line);
  size_t left = static_cast<size_t>(at.x) - 1;
  if (line.glyphs[left].tail()) left--;
  cursor(which, {static_cast<int>(left), at.y});
  put(line, left);
}

bool Painter::joins_left(const Line& line, size_t x) const {
  if (x == 0 || x >= line.glyphs.size() || line.glyphs[x].blank() || line.glyphs[x].tail()) return false;
  const Glyph& left = line.glyphs[x - 1].tail() ? line.glyphs[x - 2] : line.glyphs[x - 1];
  return !left.blank() &&
         joins(line.characters(left), line.characters(line.glyphs[x])[0], Clustering::graphemes);
}

// Writes the last character of the row again, which leaves the wrap pending. Not possible where the last
// column is blank, or where the character would join the one before.
bool Painter::pend_wrap(const Line& line, int y) {
  if (known_ && at_ == Cursor{size_.columns, y}) return true;
  const auto last = last_character(line, size_.columns);
  if (!last || joins_left(line, *last)) return false;
  go(y, static_cast<int>(*last));
  put(line, *last);
  return true;
}

void Painter::put(const Line& line, size_t x) {
  const Glyph& glyph = line.glyphs[x];
  pen(glyph.style);
  for (const char32_t cp : line.characters(glyph)) utf8::append(out_, cp);
  at_.x += glyph.wide() ? 2 : 1;
}

void Painter::paint_glyphs(const Line& line, int y, size_t from, size_t to) {
  for (size_t x = from; x < to;) {
    const Glyph& glyph = line.glyphs[x];
    if (!glyph.blank()) {
      // At the start of a row that continues the one before, the character itself wraps.
      const bool wraps = known_ && x == 0 && at_.x == size_.columns && at_.y == y - 1;
      if (wraps) at_ = {0, y};
      go(y, static_cast<int>(x));
      put(line, x);
      x += glyph.wide() ? 2 : 1;
      continue;
    }
    const size_t first = x;
    while (x < to && line.glyphs[x] == glyph) x++;
    if (glyph.style == Style{}) continue;
    go(y, static_cast<int>(first));
    pen(glyph.style);
    out_ += fmt::format("\x1b[{}X", x - first);
  }
}

// A character that would join the one to its left has to be there before that one comes.
void Painter::paint_line(const Line& line, int y) {
  size_t end = line.glyphs.size();
  for (size_t x = end; x-- > 1;) {
    if (!joins_left(line, x)) continue;
    paint_glyphs(line, y, x, end);
    end = x;
  }
  paint_glyphs(line, y, 0, end);
}

void Painter::marks(const Line& line, int y) {
  for (const Mark& mark : line.marks) {
    go(y, static_cast<int>(mark.column));
    out_ += fmt::format("\x1b]133;{}", mark_letter(mark.kind));
    if (mark.status) out_ += fmt::format(";{}", *mark.status);
    out_ += "\x1b\\";
  }
}

// Whether the first character of a line, written behind the row before, wraps and nothing else.
bool Painter::can_flow(const Line& before, const Line& line, Scrolls scrolls) const {
  if (!before.marks.empty() || line.glyphs.empty() || line.glyphs[0].blank()) return false;
  // Where it scrolls, the row that comes in is coloured all over.
  if (scrolls == Scrolls::yes && line.glyphs[0].style.background != Color{}) return false;
  const auto last = last_character(before, size_.columns);
  if (!last || joins_left(before, *last)) return false;
  if (joins(before.characters(before.glyphs[*last]), line.characters(line.glyphs[0])[0],
            Clustering::graphemes))
    return false;
  for (size_t x = 1; x < line.glyphs.size(); x++)
    if (joins_left(line, x)) return false;
  return true;
}

void Painter::next_row(const Line& before, int y) {
  marks(before, y);
  pen({});
  go(y, 0);
  out_ += '\n';
  at_ = {0, std::min(y + 1, size_.rows - 1)};
}

// To a row that continues the one before, where that does not come by itself: a letter is made to wrap, and
// erased.
void Painter::wrap(const Line& before, const Line& line, int y_before, int y) {
  if (can_flow(before, line, y == y_before ? Scrolls::yes : Scrolls::no)) {
    pend_wrap(before, y_before);
    if (y == y_before) at_.y--;  // it scrolls
    return;
  }
  const bool only_row = size_.rows == 1;
  if (only_row) marks(before, y_before);
  const bool written = pend_wrap(before, y_before);
  pen({});
  bool spoiled = false;
  if (!written) {
    const bool conflict = last_character(before, size_.columns).has_value();
    spoiled = !conflict && !only_row;
    if (spoiled) {
      go(y_before, size_.columns - 1);
      out_ += 'x';
    } else {
      place({size_.columns, y_before});
    }
  }
  out_ += 'x';
  at_ = {1, y};
  const int now = y_before == y ? y - 1 : y_before;
  if (!only_row) {
    if (spoiled) {
      go(now, size_.columns - 1);
      const auto edge = static_cast<size_t>(size_.columns - 1);
      pen(edge < before.glyphs.size() ? before.glyphs[edge].style : Style{});
      out_ += "\x1b[X";
    }
    marks(before, now);
    pen({});
  }
  go(y, 0);
  out_ += "\x1b[X";
}

void Painter::paint(Which which, int first) {
  go(0, 0);
  Line before;
  Line line;
  for (int i = first; i < size_.rows; i++) {
    const int y = std::min(i - first, size_.rows - 1);
    const int y_before = std::min(i - 1 - first, size_.rows - 1);
    screen_.read(which, i, line);
    if (i > first) {
      if (line.wrapped)
        wrap(before, line, y_before, y);
      else
        next_row(before, y_before);
    }
    paint_line(line, y);
    std::swap(before, line);
  }
  marks(before, size_.rows - 1);
}

}  // namespace vt
