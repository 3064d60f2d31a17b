// SPDX-License-Identifier: Apache-2.0
// Printing what is more than a word of ASCII (feed.cc). Runs of plain text go to the row in one piece;
// whatever may wrap, join, insert or be translated goes one character at a time through put().
#include <algorithm>
#include <array>

#include "vt/screen.h"
#include "vt/utf8.h"

namespace vt {
namespace {

constexpr int kUsualColumns = 80;
constexpr char kReplacementLead = '\xEF';  // of U+FFFD in UTF-8

constexpr auto kReplacements = [] {
  std::array<char, size_t{3} * 64> text{};
  for (size_t i = 0; i < text.size(); i++) text[i] = "\xEF\xBF\xBD"[i % 3];
  return text;
}();

}  // namespace

void Screen::print_text(const char* p, const char* const end) {
  if (partial_size_ != 0) p = finish_character(p, end);
  while (p != end) {
    if (charsets_.plain() && !modes_[Mode::insert]) {
      const char* const stop = print_run(p, end);
      if (stop != p) {
        p = stop;
        continue;
      }
    }
    const utf8::Decoded one = utf8::decode(p, end);
    if (one.size == 0) {
      partial_size_ = static_cast<uint8_t>(std::copy(p, end, partial_.begin()) - partial_.begin());
      return;
    }
    if (one.code_point == utf8::kReplacement) {
      p = print_invalid(p, end);
      continue;
    }
    p += one.size;
    if (one.code_point < 0x80 && !charsets_.plain()) {
      const uint8_t set = charsets_.single != 0 ? charsets_.single : charsets_.locked;
      charsets_.single = 0;
      put(translate(charsets_.sets[set], static_cast<char>(one.code_point)));
    } else {
      charsets_.single = 0;
      put(one.code_point);
    }
  }
}

void Screen::print_ascii(const char* p, const char* end) {
  const uint32_t style = pen_id();
  Cursor& cursor = on_->cursor;
  while (p != end) {
    int room = size_.columns - cursor.x;
    if (room == 0) {
      if (modes_[Mode::autowrap]) {
        wrap_line();
        room = size_.columns;
      } else {
        // Each character overwrites the one before in the last column.
        cursor.x = size_.columns - 1;
        room = 1;
        p = end - 1;
      }
    }
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(end - p, room));
    current_row().write({cursor.x, count}, {p, static_cast<size_t>(count)}, style, blank_id_);
    cursor.x += count;
    p += count;
  }
}

// Invalid bytes come in floods as well, as of a program that prints a picture by mistake.
const char* Screen::print_invalid(const char* p, const char* const end) {
  int count = 0;
  for (; p != end; count++) {
    const utf8::Decoded one = utf8::decode(p, end);
    if (one.size == 0 || one.code_point != utf8::kReplacement) break;
    p += one.size;
  }
  charsets_.single = 0;
  const uint32_t style = pen_id();
  Cursor& cursor = on_->cursor;
  while (count > 0) {
    const int columns =
        std::min({count, size_.columns - cursor.x, static_cast<int>(kReplacements.size() / 3)});
    if (columns == 0 || modes_[Mode::insert]) {
      put(utf8::kReplacement);
      count--;
      continue;
    }
    current_row().write({cursor.x, columns}, {kReplacements.data(), static_cast<size_t>(columns) * 3}, style,
                        blank_id_);
    cursor.x += columns;
    behind_text_ = true;
    count -= columns;
  }
  return p;
}

// As much text from p as stands alone and fits the row; gives its end.
const char* Screen::print_run(const char* p, const char* const end) {
  const char* const begin = p;
  const int room = size_.columns - on_->cursor.x;
  int columns = 0;
  while (p != end && columns < room) {
    if (static_cast<unsigned char>(*p) < 0x80) {
      columns++;
      ++p;
      continue;
    }
    const utf8::Decoded one = utf8::decode_fast(p, end);
    const CharClass kind = char_class(one.code_point);
    if (one.size == 0 || kind.kind() == CharClass::Kind::complex || columns + kind.width() > room) break;
    // Only a U+FFFD that was sent as such can be copied.
    if (one.code_point == utf8::kReplacement && (one.size != 3 || *p != kReplacementLead)) break;
    if (p == begin && kind.kind() == CharClass::Kind::joinable && !left_is_closed()) break;
    columns += kind.width();
    p += one.size;
  }
  if (p == begin) return p;
  const uint32_t style = pen_id();
  current_row().write({on_->cursor.x, columns}, {begin, p}, style, blank_id_);
  on_->cursor.x += columns;
  behind_text_ = true;
  return p;
}

// Whether no character can join what stands to the left of the cursor.
bool Screen::left_is_closed() {
  Row& row = current_row();
  const int at = on_->cursor.x - 1;
  if (row.is_text() || at < 0 || at >= row.used()) return true;
  const Cell* const cells = row.cells();
  const Cell& left = cells[at].tail() ? cells[at - 1] : cells[at];
  return !left.cluster() &&
         char_class(static_cast<char32_t>(left.value())).kind() != CharClass::Kind::complex;
}

// The first bytes of a character came at the end of the last chunk.
const char* Screen::finish_character(const char* p, const char* const end) {
  while (p != end && partial_size_ != 0) {
    partial_[partial_size_++] = *p;
    const utf8::Decoded one = utf8::decode(partial_.data(), partial_.data() + partial_size_);
    if (one.size == 0) {
      ++p;
      continue;
    }
    // An invalid one ends before the byte just added, which then stands for itself.
    if (one.size == partial_size_) ++p;
    partial_size_ = 0;
    charsets_.single = 0;
    put(one.code_point);
  }
  return p;
}

// A control came in the middle of a character.
void Screen::drop_partial() {
  if (partial_size_ == 0) return;
  partial_size_ = 0;
  charsets_.single = 0;
  put(utf8::kReplacement);
}

void Screen::put(char32_t code_point) {
  if (code_point >= 0x80 && code_point < 0xA0) return;
  const CharClass kind = char_class(code_point);
  if (kind.rule() == Break::control) return;
  if (kind.kind() != CharClass::Kind::plain && join(code_point)) {
    behind_text_ = true;
    return;
  }
  const int width = std::max(1, kind.width());  // a mark with nothing to stand on takes a column
  if (width > size_.columns) return;
  Cursor& cursor = on_->cursor;
  const uint32_t style = pen_id();
  if (cursor.x + width > size_.columns) {
    if (!modes_[Mode::autowrap]) {
      cursor.x = size_.columns - 1;
      behind_text_ = false;
      if (width == 2) return;
    } else {
      current_row().blank(cursor.x, size_.columns, blank_id_);
      wrap_line();
    }
  }
  Row& row = current_row();
  if (modes_[Mode::insert]) row.insert(cursor.x, width, blank_id_);
  if (kind.kind() == CharClass::Kind::complex) {
    row.put(cursor.x, {static_cast<uint32_t>(code_point) | (width == 2 ? Cell::kWide : 0), style}, blank_id_);
  } else {
    char bytes[4];
    row.write({cursor.x, width}, {bytes, utf8::encode(bytes, code_point)}, style, blank_id_);
  }
  cursor.x += width;
  behind_text_ = true;
}

// A mark that has a column of its own though it could stand on what is left of it takes nothing else in: it
// cannot be written there again.
bool Screen::behind_text() const {
  const Cursor at = on_->cursor;
  if (at.x == 0 || (!behind_text_ && at.x < size_.columns)) return false;
  Line line;
  read(at.y, line);
  if (static_cast<size_t>(at.x) > line.glyphs.size()) return false;
  size_t left = static_cast<size_t>(at.x) - 1;
  if (line.glyphs[left].blank() || line.glyphs[left].wide()) return false;  // not in the middle of one
  if (line.glyphs[left].tail()) left--;
  const bool mark = char_class(line.characters(line.glyphs[left])[0]).width() == 0;
  return !mark || left == 0 || line.glyphs[left - 1].blank();
}

// Adds the code point to the character left of the cursor, if it belongs there.
bool Screen::join(char32_t code_point) {
  Cursor& cursor = on_->cursor;
  int at = cursor.x - 1;
  if (at < 0 || at >= current_row().used()) return false;
  const Cell* const cells = current_row().cells();
  const bool inside = cells[at].wide();
  if (cells[at].tail()) at--;
  const Cell cell = cells[at];
  if (cell.blank()) return false;
  const auto only = static_cast<char32_t>(cell.value());
  const std::u32string_view left =
      cell.cluster() ? tables_.clusters[cell.value()] : std::u32string_view(&only, 1);
  const bool whole = modes_[Mode::graphemes] && !inside && (behind_text_ || cursor.x == size_.columns) &&
                     (char_class(left[0]).width() != 0 || at == 0 || cells[at - 1].blank());
  const auto clustering = whole ? Clustering::graphemes : Clustering::marks_only;
  if (!joins(left, code_point, clustering)) return false;
  if (left.size() >= kMostClusterLength) return true;
  std::u32string cluster(left);
  cluster += code_point;
  const bool wide = cluster_width(cluster) == 2;
  if (wide && !cell.wide()) {
    if (at + 2 > size_.columns) {
      if (!modes_[Mode::autowrap] || size_.columns < 2) {
        cursor.x = size_.columns - 1;
        return true;
      }
      current_row().blank(at, at + 1, blank_id());
      wrap_line();
      at = 0;
    }
    cursor.x = at + 2;
  }
  const uint32_t number = tables_.clusters.intern(cluster);
  current_row().put(at, {number | Cell::kCluster | (wide ? Cell::kWide : 0), cell.style}, blank_id());
  if (tables_.clusters.wants_sweep()) collect();
  return true;
}

void Screen::wrap_line() {
  Cursor& cursor = on_->cursor;
  cursor.x = 0;
  if (cursor.y == on_->region.bottom)
    scroll();
  else
    cursor.y = std::min(cursor.y + 1, size_.rows - 1);
  current_row().wrapped = cursor.y > 0 || (which_ == Which::main && scrollback_.size() > 0);
}

void Screen::repeat(int count) {
  int at = on_->cursor.x - 1;
  if (at < 0 || at >= current_row().used()) return;
  const Cell* const cells = current_row().cells();
  if (cells[at].tail()) at--;
  const Cell cell = cells[at];
  if (cell.blank()) return;
  const std::u32string characters = cell.cluster() ? std::u32string(tables_.clusters[cell.value()])
                                                   : std::u32string(1, static_cast<char32_t>(cell.value()));
  // A screenful at most: a program cannot want more, and a few bytes must not cost more. Where every
  // character takes the long way, a row.
  const bool simple = charsets_.plain() && !modes_[Mode::insert];
  count = std::min(count, std::max(simple ? size_.columns * size_.rows : size_.columns, kUsualColumns));
  if (!simple) {
    for (; count > 0; count--)
      for (const char32_t cp : characters) put(cp);
    return;
  }
  std::string one;
  for (const char32_t cp : characters) utf8::append(one, cp);
  std::string all;
  for (; count > 0; count--) all += one;
  print(all.data(), {all.size(), one.size() == 1});
}

void Screen::refresh_pen() {
  pen_changed_ = false;
  pen_id_ = tables_.styles.intern(pen_);
  blank_id_ = pen_.background == Color{} ? 0 : blank_of_pen();
  if (tables_.styles.wants_sweep()) [[unlikely]]
    collect();
}

// Drops the styles, clusters and links that nothing refers to any more.
void Screen::collect() {
  tables_.styles.begin_sweep();
  tables_.clusters.begin_sweep();
  tables_.styles.mark(pen_id_);
  tables_.styles.mark(blank_id_);
  for (const Buffer* buffer : {&main_, &alternate_}) {
    for (int y = 0; y < buffer->page.rows(); y++) {
      const Row& row = buffer->page.row(y);
      const Cell* const cells = row.cells_if_any();
      if (cells == nullptr) {
        tables_.styles.mark(row.text_style());
        continue;
      }
      for (int x = 0; x < row.used(); x++) {
        tables_.styles.mark(cells[x].style);
        if (cells[x].cluster()) tables_.clusters.mark(cells[x].value());
      }
    }
  }
  if (tables_.links.wants_sweep()) {
    // The whole scrollback has to be looked through for these, so not each time.
    tables_.links.begin_sweep();
    tables_.links.mark(pen_.link);
    tables_.styles.for_each_marked([&](const Style& style) { tables_.links.mark(style.link); });
    scrollback_.mark_links(tables_.links);
    tables_.links.end_sweep();
  }
  tables_.styles.end_sweep();
  tables_.clusters.end_sweep();
}

}  // namespace vt
