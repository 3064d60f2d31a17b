// SPDX-License-Identifier: Apache-2.0
// C0 controls and escape sequences without parameters.
#include <algorithm>

#include "vt/screen.h"

namespace vt {

void Screen::execute(unsigned char control) {
  if (partial_size_ != 0) [[unlikely]]
    drop_partial();
  switch (control) {
    case '\r':
      on_->cursor.x = 0;
      behind_text_ = false;
      break;
    case '\n':
    case '\v':
    case '\f':
      line_feed();
      break;
    case '\b':
      backspace();
      break;
    case '\t':
      tab(1);
      break;
    case 0x0e:
      charsets_.locked = 1;
      break;
    case 0x0f:
      charsets_.locked = 0;
      break;
    case 0x07:
      if (sink_ != nullptr) sink_->bell();
      break;
    default:
      break;
  }
}

void Screen::line_feed() {
  Cursor& cursor = on_->cursor;
  behind_text_ = false;
  if (modes_[Mode::new_line]) cursor.x = 0;
  if (cursor.y == on_->region.bottom) {
    scroll();
  } else if (cursor.y < size_.rows - 1) {
    cursor.y++;
    current_row().wrapped = false;
  }
  cursor.x = std::min(cursor.x, size_.columns - 1);
}

void Screen::index() {
  restrict_cursor();
  Cursor& cursor = on_->cursor;
  if (cursor.y == on_->region.bottom)
    scroll();
  else
    cursor.y = std::min(cursor.y + 1, size_.rows - 1);
  restrict_cursor();
}

void Screen::reverse_index() {
  restrict_cursor();
  if (on_->cursor.y == on_->region.top)
    on_->page.scroll_down(on_->region, 1, blank_id());
  else
    on_->cursor.y--;
  restrict_cursor();
}

void Screen::backspace() {
  Cursor& cursor = on_->cursor;
  if (!modes_[Mode::reverse_wrap]) {
    restrict_cursor();
    cursor.x = std::max(cursor.x - 1, 0);
    return;
  }
  restrict_cursor(size_.columns);
  if (cursor.x > 0) {
    cursor.x--;
  } else if (cursor.y > on_->region.top && cursor.y <= on_->region.bottom && current_row().wrapped) {
    current_row().wrapped = false;
    cursor.y--;
    cursor.x = size_.columns - 1;
    // The last column is blank where a wide character did not fit.
    if (current_row().at(cursor.x).blank()) cursor.x = std::max(cursor.x - 1, 0);
  }
  restrict_cursor();
}

void Screen::tab(int count) {
  Cursor& cursor = on_->cursor;
  behind_text_ = false;
  if (cursor.x >= size_.columns) return;
  for (; count > 0 && cursor.x < size_.columns - 1; count--) do
      cursor.x++;
    while (cursor.x < size_.columns - 1 && !on_->tabs[static_cast<size_t>(cursor.x)]);
}

void Screen::tab_back(int count) {
  Cursor& cursor = on_->cursor;
  behind_text_ = false;
  if (cursor.x >= size_.columns) return;
  for (; count > 0 && cursor.x > 0; count--) do
      cursor.x--;
    while (cursor.x > 0 && !on_->tabs[static_cast<size_t>(cursor.x)]);
}

void Screen::save_cursor() {
  Charsets charsets = charsets_;
  charsets.single = 0;
  Style pen = pen_;
  pen.link = 0;
  on_->saved = {{cursor_column(), on_->cursor.y}, pen, charsets, modes_[Mode::origin]};
}

void Screen::restore_cursor() {
  const SavedCursor& saved = on_->saved;
  on_->cursor = saved.at;
  Style pen = saved.pen;
  pen.link = pen_.link;  // a link is closed by its end, by nothing else
  change_pen(pen);
  charsets_ = saved.charsets;
  modes_.set(Mode::origin, to_switch(saved.origin));
  restrict_cursor();
}

void Screen::alignment_pattern() {
  Style style = pen_;
  style.link = 0;
  const uint32_t id = tables_.styles.intern(style);
  const std::string pattern(static_cast<size_t>(size_.columns), 'E');
  for (int y = 0; y < size_.rows; y++) {
    Row& row = on_->page.row(y);
    row.clear(0);
    row.write({0, size_.columns}, pattern, id, 0);
  }
  place_cursor(0, 0);
}

void Screen::soft_reset() {
  modes_.soft_reset();
  on_->region = {0, size_.rows - 1};
  on_->saved = {};
  charsets_ = {};
  cursor_shape_ = 0;
  change_pen({});
}

void Screen::full_reset() {
  show(Which::main);
  scrollback_.clear();
  for (Buffer* buffer : {&main_, &alternate_}) *buffer = Buffer(size_);
  change_pen({});
  charsets_ = {};
  modes_ = {};
  mouse_protocol_ = MouseProtocol::none;
  mouse_encoding_ = MouseEncoding::plain;
  modify_other_keys_ = 0;
  cursor_shape_ = 0;
  palette_.reset_all();
}

void Screen::escape(const Sequence& sequence) {
  drop_partial();
  if (sequence.intermediate_count == 1) {
    const char kind = sequence.intermediates[0];
    if (kind == '#' && sequence.final == '8') return alignment_pattern();
    if (kind == '%' && (sequence.final == '@' || sequence.final == 'G')) {
      charsets_.locked = 0;
      charsets_.sets[0] = Charset::ascii;
      return;
    }
    // ( ) * + for sets of 94 characters, - . for those of 96.
    const size_t which = std::string_view("()*+").find(kind);
    const size_t which_96 = std::string_view("-.").find(kind);
    const auto charset = find_charset(sequence.final);
    if (which != std::string_view::npos && charset) charsets_.sets[which] = *charset;
    if (which_96 != std::string_view::npos && charset) charsets_.sets[which_96 + 1] = *charset;
    return;
  }
  if (sequence.intermediate_count != 0) return;
  switch (sequence.final) {
    case '7':
      return save_cursor();
    case '8':
      return restore_cursor();
    case 'D':
      return index();
    case 'E':
      on_->cursor.x = 0;
      return index();
    case 'H':
      if (on_->cursor.x < size_.columns) on_->tabs[static_cast<size_t>(on_->cursor.x)] = true;
      return;
    case 'M':
      return reverse_index();
    case 'N':
      charsets_.single = 2;
      return;
    case 'O':
      charsets_.single = 3;
      return;
    case '=':
      return modes_.set(Mode::keypad, Switch::on);
    case '>':
      return modes_.set(Mode::keypad, Switch::off);
    case 'c':
      return full_reset();
    case 'n':
    case '}':
      charsets_.locked = 2;
      return;
    case 'o':
    case '|':
      charsets_.locked = 3;
      return;
    case '~':
      charsets_.locked = 1;
      return;
    case 'Z':
      return reply("\x1b[?62;6;22;52c");
    default:
      return;
  }
}

}  // namespace vt
