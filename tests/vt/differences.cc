// SPDX-License-Identifier: Apache-2.0
#include "differences.h"

namespace vt_test {
namespace {

// An erased cell of xterm.js may keep attributes that vt's never has: only its background shows.
void strip_blanks(View& view) {
  const size_t known = view.styles.size();
  std::vector<size_t> plain(known);
  for (size_t i = 0; i < known; i++) {
    plain[i] = view.styles.size();
    view.styles.push_back({.background = view.styles[i].background});
  }
  for (std::vector<RowView>* rows : {&view.screen, &view.main_screen, &view.scrollback})
    for (RowView& row : *rows)
      for (CellView& cell : row.cells)
        if (cell.text.empty() && cell.width == 1) cell.style = plain[cell.style];
}

}  // namespace

void accept_known_differences(View& ours, View& theirs) {
  (void)ours;
  strip_blanks(theirs);
}

}  // namespace vt_test
