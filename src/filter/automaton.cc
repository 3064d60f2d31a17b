// SPDX-License-Identifier: Apache-2.0
#include "filter/automaton.h"

#include <algorithm>

namespace filter {

Automaton::Automaton(std::span<const std::string> sequences) {
  nodes_.emplace_back();
  for (const std::string& each : sequences) add(each);
  link();
}

// Until link(), kRoot stands for "no way on": nothing leads back to the root yet.
void Automaton::add(const std::string& sequence) {
  State at = kRoot;
  for (const char c : sequence) {
    const auto symbol = static_cast<unsigned char>(c);
    if (nodes_[at].next[symbol] == kRoot) {
      nodes_[at].next[symbol] = static_cast<State>(nodes_.size());
      nodes_.emplace_back().depth = nodes_[at].depth + 1;
    }
    at = nodes_[at].next[symbol];
  }
  nodes_[at].match = nodes_[at].depth;
}

// Breadth first: a node's suffix is shorter, so it is complete when the node is reached.
void Automaton::link() {
  std::vector<State> order = {kRoot};
  for (size_t i = 0; i < order.size(); i++) {
    const State at = order[i];
    for (size_t symbol = 0; symbol < 256; symbol++) {
      const State child = nodes_[at].next[symbol];
      const State elsewhere = at == kRoot ? kRoot : nodes_[nodes_[at].suffix].next[symbol];
      if (child == kRoot) {
        nodes_[at].next[symbol] = elsewhere;
        continue;
      }
      nodes_[child].suffix = elsewhere;
      nodes_[child].match = std::max(nodes_[child].match, nodes_[elsewhere].match);
      order.push_back(child);
    }
  }
}

}  // namespace filter
