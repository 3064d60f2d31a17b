// SPDX-License-Identifier: Apache-2.0
// LogicalLine: the rows that one line was wrapped into, joined again.
#pragma once
#include <cstddef>

#include "vt/line.h"

namespace vt {

class LogicalLine {
 public:
  explicit LogicalLine(int columns) : columns_(static_cast<size_t>(columns)) {}

  // Gives the column of the line at which the row starts.
  size_t add(const Line& row);
  bool empty() const { return rows_ == 0; }
  void clear();

  const Line& line() const { return line_; }

 private:
  Line line_;
  size_t columns_;
  size_t start_ = 0;
  size_t rows_ = 0;
};

}  // namespace vt
