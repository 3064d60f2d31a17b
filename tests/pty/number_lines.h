// SPDX-License-Identifier: Apache-2.0
// Checks that pieces of output are, one behind the other, the lines that `seq 1 N` prints.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace pty {

class NumberLines {
 public:
  explicit NumberLines(std::string line_end) : line_end_(std::move(line_end)) {}

  // False at the first byte that is not the next one.
  bool take(std::string_view piece) {
    while (!piece.empty()) {
      if (at_ == line_.size()) {
        line_ = std::to_string(++number_) + line_end_;
        at_ = 0;
      }
      const size_t count = std::min(piece.size(), line_.size() - at_);
      if (piece.substr(0, count) != std::string_view(line_).substr(at_, count)) return false;
      at_ += count;
      piece.remove_prefix(count);
    }
    return true;
  }

  long lines() const { return number_; }
  bool at_line_end() const { return at_ == line_.size(); }

 private:
  std::string line_end_;
  std::string line_;
  size_t at_ = 0;
  long number_ = 0;
};

}  // namespace pty
