// SPDX-License-Identifier: Apache-2.0
// NewlineFilter: the exact inverse of what a terminal does to the newlines of a program: one "\r" goes from
// before each "\n", also where the two come in different pieces.
#pragma once
#include <string>

namespace cli {

class NewlineFilter {
 public:
  void take(std::string& piece);
  // Nothing follows: what was held back.
  std::string rest();

 private:
  bool held_ = false;  // a "\r" that may stand before a "\n"
};

}  // namespace cli
