// SPDX-License-Identifier: Apache-2.0
#include "vt/row.h"

#include <algorithm>
#include <cstring>

#include "vt/utf8.h"

namespace vt {

Cell* expand(Cell* out, std::string_view text, uint32_t style) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const auto byte = static_cast<unsigned char>(*p);
    if (byte < 0x80) {
      *out++ = {byte, style};
      ++p;
      continue;
    }
    const utf8::Decoded one = utf8::decode_fast(p, end);
    p += one.size;
    const auto value = static_cast<uint32_t>(one.code_point);
    if (char_class(one.code_point).width() == 2) {
      *out++ = {value | Cell::kWide, style};
      *out++ = {Cell::kTail, style};
    } else {
      *out++ = {value, style};
    }
  }
  return out;
}

Row::Row(int columns) : cells_(new Cell[static_cast<size_t>(columns) + kSpare]), columns_(columns) {}

// The bytes stand where the cells go. From the right, no byte is overwritten before it was read: what is left
// to read for a column starts at no more than 4 bytes per column, and its cell goes to 8.
void Row::widen() {
  text_ = false;
  Cell* out = cells_.get() + used_;
  const char* const begin = bytes();
  for (const char* p = begin + size_; p != begin;) {
    const char* const end = p--;
    while ((*p & 0xC0) == 0x80) --p;
    const char32_t code_point = utf8::decode(p, end).code_point;
    const auto value = static_cast<uint32_t>(code_point);
    if (char_class(code_point).width() == 2) {
      *--out = {Cell::kTail, style_};
      *--out = {value | Cell::kWide, style_};
    } else {
      *--out = {value, style_};
    }
  }
}

Cell Row::at(int x) { return x < used_ ? cells()[x] : Cell{}; }

void Row::fill(int from, int to, Cell cell) { std::fill(cells_.get() + from, cells_.get() + to, cell); }

// Makes the first `to` columns cells that may be written.
void Row::extend(int to) {
  cells();
  if (used_ >= to) return;
  fill(used_, to, {});
  used_ = to;
}

// Takes back what the end of the row stores needlessly, so that equal rows are stored alike.
void Row::trim() {
  while (used_ > 0 && cells_[static_cast<size_t>(used_ - 1)] == Cell{}) used_--;
}

void Row::clear(uint32_t blank_style) {
  used_ = 0;
  size_ = 0;
  style_ = 0;
  text_ = true;
  wrapped = false;
  marks.clear();
  if (blank_style == 0) return;
  cells();
  fill(0, columns_, {0, blank_style});
  used_ = columns_;
}

bool Row::write_text(Piece piece, std::string_view text, uint32_t style) {
  if (used_ == 0) style_ = style;
  if (style != style_) return false;
  if (piece.x > used_) {
    if (style != 0) return false;
    std::memset(bytes() + size_, 0, static_cast<size_t>(piece.x - used_));
    size_ += static_cast<uint32_t>(piece.x - used_);
    used_ = piece.x;
  }
  const bool append = piece.x == used_;
  const bool bytes_are_columns = size_ == static_cast<uint32_t>(used_);
  if (!append && !(bytes_are_columns && text.size() == static_cast<size_t>(piece.columns))) return false;
  const size_t at = append ? size_ : static_cast<size_t>(piece.x);
  std::memcpy(bytes() + at, text.data(), text.size());
  used_ = std::max(used_, piece.x + piece.columns);
  size_ = std::max(size_, static_cast<uint32_t>(at + text.size()));
  return true;
}

void Row::write(Piece piece, std::string_view text, uint32_t style, uint32_t blank_style) {
  if (text_ && write_text(piece, text, style)) return;
  extend(piece.x);
  const int end = piece.x + piece.columns;
  split(piece.x, blank_style);
  split(end, blank_style);
  Cell* const out = cells_.get() + piece.x;
  if (text.size() == static_cast<size_t>(piece.columns)) {
    store_ascii(out, text.data(), text.size(), style);
  } else {
    expand(out, text, style);
  }
  used_ = std::max(used_, end);
}

void Row::put(int x, Cell cell, uint32_t blank_style) {
  const int width = cell.wide() ? 2 : 1;
  extend(x);
  split(x, blank_style);
  split(x + width, blank_style);
  used_ = std::max(used_, x + width);
  cells_[static_cast<size_t>(x)] = cell;
  if (width == 2) cells_[static_cast<size_t>(x) + 1] = {Cell::kTail, cell.style};
}

void Row::erase(int from, int to, uint32_t blank_style) {
  marks.erase(static_cast<uint32_t>(from), static_cast<uint32_t>(std::max(from, to)));
  blank(from, to, blank_style);
}

void Row::blank(int from, int to, uint32_t blank_style) {
  from = std::clamp(from, 0, columns_);
  to = std::clamp(to, from, columns_);
  if (from == to || (blank_style == 0 && from >= used_)) return;
  if (blank_style == 0 && to >= used_ && text_ && size_ == static_cast<uint32_t>(used_)) {
    used_ = from;
    size_ = static_cast<uint32_t>(from);
    return;
  }
  if (blank_style == 0 && to >= used_) {
    cells();
    split(from, 0);
    used_ = from;
    trim();
    return;
  }
  extend(blank_style == 0 ? from : to);
  split(from, blank_style);
  split(to, blank_style);
  fill(from, std::min(to, used_), {0, blank_style});
  trim();
}

void Row::insert(int at, int count, uint32_t blank_style) {
  count = std::min(count, columns_ - at);
  extend(columns_);
  split(at, blank_style);
  Cell* const begin = cells_.get();
  split(columns_ - count, blank_style);
  std::move_backward(begin + at, begin + columns_ - count, begin + columns_);
  fill(at, at + count, {0, blank_style});
  trim();
}

void Row::remove(int at, int count, uint32_t blank_style) {
  count = std::min(count, columns_ - at);
  extend(columns_);
  split(at, blank_style);
  split(at + count, blank_style);
  Cell* const begin = cells_.get();
  std::move(begin + at + count, begin + columns_, begin + at);
  fill(columns_ - count, columns_, {0, blank_style});
  trim();
}

void Row::set_columns(int columns) {
  cells();
  if (columns < used_) {
    split(columns, 0);
    used_ = columns;
  }
  std::unique_ptr<Cell[]> resized(new Cell[static_cast<size_t>(columns) + kSpare]);
  std::copy(cells_.get(), cells_.get() + used_, resized.get());
  cells_ = std::move(resized);
  columns_ = columns;
  trim();
  marks.erase(static_cast<uint32_t>(columns), UINT32_MAX);
}

}  // namespace vt
