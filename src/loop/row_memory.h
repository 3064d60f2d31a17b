// SPDX-License-Identifier: Apache-2.0
// RowMemory: what was last read at each row of a screen, so that a row that is drawn again as it was is told
// from a new one. It scrolls with the screen.
#pragma once
#include <cstddef>
#include <vector>

#include "vt/page.h"

namespace loop {

class RowMemory {
 public:
  explicit RowMemory(int rows) { reset(rows); }

  void reset(int rows) { read_.assign(static_cast<size_t>(rows), 0); }
  void forget() { read_.assign(read_.size(), 0); }
  // Whether these rows, both included, have something new: `text` (a hash) was not what was read last at the
  // last of them.
  bool is_new(vt::Region rows, size_t text);
  void scroll_up(vt::Region region, int count);
  void scroll_down(vt::Region region, int count);

 private:
  auto at(int y) { return read_.begin() + y; }

  std::vector<size_t> read_;
};

}  // namespace loop
