// SPDX-License-Identifier: Apache-2.0
// Page: the rows of one screen (main or alternate) in a ring, so that scrolling the whole of it moves
// nothing.
#pragma once
#include <vector>

#include "vt/row.h"

namespace vt {

struct Size {
  int columns = 80;
  int rows = 24;
  friend bool operator==(const Size&, const Size&) = default;
};

// Rows top to bottom, both included.
struct Region {
  int top = 0;
  int bottom = 0;
  friend bool operator==(const Region&, const Region&) = default;
};

class Page {
 public:
  explicit Page(Size size);

  int rows() const { return static_cast<int>(count_); }
  Row& row(int y) { return rows_[index(y)]; }
  const Row& row(int y) const { return rows_[index(y)]; }

  // Rows next to those that moved no longer continue the row above them.
  void scroll_up(Region region, int count, uint32_t blank_style);
  // All rows by one; the new top row continues whatever it continued.
  void rotate(uint32_t blank_style) {
    Row& top = rows_[first_];
    if (++first_ == count_) first_ = 0;
    top.clear(blank_style);
  }
  void scroll_down(Region region, int count, uint32_t blank_style);
  void clear(uint32_t blank_style);

  // Takes these for the rows from the top; more of them than rows do not fit, missing ones are blank.
  void replace(std::vector<Row> rows, Size size);
  std::vector<Row> take();

  size_t memory() const;

 private:
  void disconnect(int y);
  size_t index(int y) const {
    const size_t at = first_ + static_cast<size_t>(y);
    return at < count_ ? at : at - count_;
  }

  std::vector<Row> rows_;
  size_t first_ = 0;
  size_t count_ = 0;  // of rows: a vector would have to divide for it
};

}  // namespace vt
