// SPDX-License-Identifier: Apache-2.0
// Automaton: Aho and Corasick's, over all sequences at once. A state says how much of some sequence the input
// ends with; stepping costs one look into a table, whatever the number of sequences.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace filter {

class Automaton {
 public:
  using State = uint32_t;
  static constexpr State kRoot = 0;

  // None of them empty.
  explicit Automaton(std::span<const std::string> sequences);

  State next(State state, unsigned char symbol) const { return nodes_[state].next[symbol]; }
  // How many of the last symbols may be the beginning of a sequence.
  uint32_t depth(State state) const { return nodes_[state].depth; }
  // The length of the longest sequence that ends here; 0: none does.
  uint32_t match(State state) const { return nodes_[state].match; }

 private:
  struct Node {
    std::array<State, 256> next{};
    State suffix = kRoot;  // the longest one that is also a beginning
    uint32_t depth = 0;
    uint32_t match = 0;
  };

  void add(const std::string& sequence);
  void link();

  std::vector<Node> nodes_;
};

}  // namespace filter
