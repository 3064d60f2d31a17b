// SPDX-License-Identifier: Apache-2.0
// Line: a row taken out of the screen or the scrollback to be read: every cell with its style, whatever form
// the row is kept in. Views, the snapshot, comparison and reflow work on lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "vt/cell.h"
#include "vt/mark.h"
#include "vt/style.h"

namespace vt {

struct Glyph {
  uint32_t text = 0;  // as in Cell; a cluster's number counts in Line::clusters
  Style style;

  bool blank() const { return text == 0; }
  bool wide() const { return (text & Cell::kWide) != 0; }
  bool tail() const { return text == Cell::kTail; }
  friend bool operator==(const Glyph&, const Glyph&) = default;
};

struct Line {
  std::vector<Glyph> glyphs;  // without the blanks in the default style at its end
  std::vector<std::u32string> clusters;
  std::vector<Mark> marks;
  bool wrapped = false;  // continues the line before

  void clear();
  void trim();
  // Columns from `from` up to, not including, `to` of another line, or fewer.
  void append(const Line& other, size_t from, size_t to);
  void add(std::u32string_view cluster, const Style& style);
  void add(char32_t code_point, const Style& style);

  // The code points of a glyph; none for a blank or a tail.
  std::u32string characters(const Glyph& glyph) const;
  // As UTF-8, blanks as spaces, without the spaces at its end.
  std::string text() const;
};

}  // namespace vt
