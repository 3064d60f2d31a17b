// SPDX-License-Identifier: Apache-2.0
#include "vt/logical_line.h"

namespace vt {

size_t LogicalLine::add(const Line& row) {
  if (rows_++ == 0) {
    line_.wrapped = row.wrapped;
  } else {
    // A row that goes on is full, even where the blanks at its end are not stored; but the blank that a wide
    // character left because it did not fit is no text.
    line_.glyphs.resize(start_ + columns_);
    if (line_.glyphs.back().blank() && !row.glyphs.empty() && row.glyphs[0].wide()) line_.glyphs.pop_back();
  }
  start_ = line_.glyphs.size();
  line_.append(row, 0, row.glyphs.size());
  for (Mark mark : row.marks) {
    mark.column += static_cast<uint32_t>(start_);
    line_.marks.push_back(mark);
  }
  return start_;
}

void LogicalLine::clear() {
  line_.clear();
  start_ = 0;
  rows_ = 0;
}

}  // namespace vt
