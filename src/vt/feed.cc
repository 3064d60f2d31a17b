// SPDX-License-Identifier: Apache-2.0
// The hottest of Screen, in one place so that all of it is compiled into Parser's loop: words of ASCII, and
// the colours between them.
#include "vt/parser_feed.h"
#include "vt/screen.h"

namespace vt {

void Screen::print(const char* text, TextRun run) {
  const char* const end = text + run.size;
  if (!run.ascii || partial_size_ != 0 || !charsets_.plain() || modes_[Mode::insert]) {
    print_text(text, end);
    return;
  }
  behind_text_ = true;
  const uint32_t style = pen_id();
  const auto size = static_cast<int>(run.size);
  Cursor& cursor = on_->cursor;
  if (run.brief && size <= size_.columns - cursor.x &&
      current_row().overwrite(cursor.x, text, run.size, style))
    cursor.x += size;
  else
    print_ascii(text, end);
}

bool Screen::known_rendition(Spelling spelling) {
  PenChanges::Known* const known = pen_changes_.find(spelling);
  if (known == nullptr || partial_size_ != 0) return false;
  known->change.apply(pen_);
  // To check a guess is quicker than to look the pen up. With a background, blanks have a style to look up
  // too.
  if (tables_.styles.is(known->style, pen_) && pen_.background == Color{}) {
    pen_id_ = known->style;
    blank_id_ = 0;
    pen_changed_ = false;
    return true;
  }
  refresh_pen();
  known->style = pen_id_;
  return true;
}

void Screen::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  generation_++;
  parser_.feed(bytes, *this);
}

}  // namespace vt
