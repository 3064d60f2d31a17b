// SPDX-License-Identifier: Apache-2.0
// Row: the columns of one row, in one of two forms. A row that is written from left to right in one style,
// which is what floods of output do, stays the very UTF-8 bytes it was written with (form `text`), so that
// printing it and handing it to the scrollback are copies. Whatever needs more turns it into cells, once.
// Columns from `used` on are blank in the default style and stored nowhere, so that clearing a row touches no
// cell.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "vt/cell.h"
#include "vt/mark.h"

namespace vt {

class Row {
 public:
  // A place in a row: `columns` of text from column `x`.
  struct Piece {
    int x;
    int columns;
  };

  explicit Row(int columns);

  int columns() const { return columns_; }
  int used() const { return used_; }
  bool is_text() const { return text_; }

  // Form text only: its bytes (0 is a blank) and its style.
  std::string_view text() const { return {bytes(), size_}; }
  uint32_t text_style() const { return style_; }

  // Turns the row into cells; the first used() are there, more after extend().
  Cell* cells() {
    if (text_) widen();
    return cells_.get();
  }
  const Cell* cells_if_any() const { return text_ ? nullptr : cells_.get(); }
  Cell at(int x);

  void clear(uint32_t blank_style);

  // Plain and joinable characters only (char_class.h), as valid UTF-8 that takes exactly piece.columns.
  // Characters of two columns of which a half is overwritten become blanks in `blank_style`.
  void write(Piece piece, std::string_view text, uint32_t style, uint32_t blank_style);
  // The same for a row of cells and a brief run (scan.h) of ASCII that neither splits a character nor leaves
  // a gap; else false, and nothing is done. Small enough to stand in the caller's loop. What lies behind
  // used() may look like a tail and is none: then it is false as well.
  bool overwrite(int x, const char* brief, size_t size, uint32_t style) {
    Cell* const out = cells_.get() + x;
    const int end = x + static_cast<int>(size);
    if (text_ || x > used_ || out->tail() || out[size].tail()) return false;
    if (size <= 8)
      store_word(out, brief, size, style);
    else
      store_ascii(out, brief, size, style);
    used_ = end > used_ ? end : used_;
    return true;
  }
  // One character of one or two columns.
  void put(int x, Cell cell, uint32_t blank_style);

  void erase(int from, int to, uint32_t blank_style);  // marks too
  void blank(int from, int to, uint32_t blank_style);
  void insert(int at, int count, uint32_t blank_style);
  void remove(int at, int count, uint32_t blank_style);
  // For terminals that do not reflow: cut, or continue with blanks.
  void set_columns(int columns);

  size_t memory() const { return (static_cast<size_t>(columns_) + kSpare) * sizeof(Cell); }

  // Continues the row above, or for the top row the newest of the scrollback: there is no line break in
  // between.
  bool wrapped = false;
  Marks marks;

 private:
  char* bytes() { return reinterpret_cast<char*>(cells_.get()); }
  const char* bytes() const { return reinterpret_cast<const char*>(cells_.get()); }
  bool write_text(Piece piece, std::string_view text, uint32_t style);
  void widen();
  void fill(int from, int to, Cell cell);
  void extend(int to);
  // Blanks both halves of a character that stands across the border to the left of column x.
  void split(int x, uint32_t blank_style) {
    if (x < used_ && cells_[static_cast<size_t>(x)].tail()) fill(x - 1, x + 1, {0, blank_style});
  }
  void trim();

  static constexpr size_t kSpare = 16;  // cells behind the last column, which overwrite() may touch

  std::unique_ptr<Cell[]> cells_;  // in form text its memory holds the bytes: a column takes 4 of 8 at most
  int columns_;
  int used_ = 0;
  uint32_t size_ = 0;
  uint32_t style_ = 0;
  bool text_ = true;
};

// Writes cells for `text` as Row::write takes it; gives the end.
Cell* expand(Cell* out, std::string_view text, uint32_t style);

}  // namespace vt
