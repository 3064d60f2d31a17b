// SPDX-License-Identifier: Apache-2.0
#include "cli/newline_filter.h"

#include <utility>

namespace cli {

void NewlineFilter::take(std::string& piece) {
  if (piece.empty()) return;
  if (std::exchange(held_, false)) piece.insert(piece.begin(), '\r');
  held_ = piece.back() == '\r';
  if (held_) piece.pop_back();
  size_t kept = 0;
  for (size_t i = 0; i < piece.size(); i++) {
    if (piece[i] == '\r' && i + 1 < piece.size() && piece[i + 1] == '\n') continue;
    piece[kept++] = piece[i];
  }
  piece.resize(kept);
}

std::string NewlineFilter::rest() { return std::exchange(held_, false) ? "\r" : ""; }

}  // namespace cli
