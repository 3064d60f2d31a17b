// SPDX-License-Identifier: Apache-2.0
// vt_sequences FIRST COUNT [everything|agreed]: random sequences for seeds FIRST and on, one to a line: the
// seed, columns and rows of a screen to try it on, and the bytes in hexadecimal. For comparing vt with other
// terminals.
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

#include "random_sequence.h"

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "usage: vt_sequences FIRST COUNT [everything|agreed]\n");
    return 2;
  }
  const auto first = std::strtoull(arguments[1], nullptr, 10);
  const auto number = std::strtoull(arguments[2], nullptr, 10);
  const bool agreed = count > 3 && std::string_view(arguments[3]) == "agreed";
  for (auto seed = first; seed < first + number; seed++) {
    vt_test::RandomSequence random(seed, agreed ? vt_test::Grammar::agreed : vt_test::Grammar::everything);
    const unsigned columns = 2 + random.number(40);
    const unsigned rows = 2 + random.number(12);
    fmt::print("{} {} {} ", seed, columns, rows);
    for (const char c : random.make(5 + static_cast<int>(random.number(60))))
      fmt::print("{:02x}", static_cast<unsigned char>(c));
    fmt::print("\n");
  }
  return 0;
}
