// SPDX-License-Identifier: Apache-2.0
// Cell: one column of the screen in eight bytes. Its text is a code point or the number of a cluster; a
// character of two columns has its text in the left cell and a tail in the right one, and neither ever stands
// without the other. Text 0 is a cell that was never written or was erased, which is not the same as a space:
// it ends a line of text. A blank carries no style but a background colour.
#pragma once
#include <cstdint>

#include "vt/char_class.h"

namespace vt {

struct Cell {
  static constexpr uint32_t kCluster = 1U << 31;
  static constexpr uint32_t kWide = 1U << 30;
  static constexpr uint32_t kTail = 1U << 29;
  static constexpr uint32_t kValue = (1U << 29) - 1;

  uint32_t text = 0;
  uint32_t style = 0;

  bool blank() const { return text == 0; }
  bool wide() const { return (text & kWide) != 0; }
  bool tail() const { return text == kTail; }
  bool cluster() const { return (text & kCluster) != 0; }
  uint32_t value() const { return text & kValue; }
  friend bool operator==(const Cell&, const Cell&) = default;
};

}  // namespace vt
