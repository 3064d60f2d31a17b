// SPDX-License-Identifier: Apache-2.0
#include "loop/row_memory.h"

#include <algorithm>

namespace loop {

bool RowMemory::is_new(vt::Region rows, size_t text) {
  const bool fresh = *at(rows.bottom) != text;
  std::fill(at(std::max(rows.top, 0)), at(rows.bottom + 1), text);
  return fresh;
}

void RowMemory::scroll_up(vt::Region region, int count) {
  count = std::min(count, region.bottom - region.top + 1);
  const auto end = std::move(at(region.top + count), at(region.bottom + 1), at(region.top));
  std::fill(end, at(region.bottom + 1), 0);
}

void RowMemory::scroll_down(vt::Region region, int count) {
  count = std::min(count, region.bottom - region.top + 1);
  std::move_backward(at(region.top), at(region.bottom + 1 - count), at(region.bottom + 1));
  std::fill(at(region.top), at(region.top + count), 0);
}

}  // namespace loop
