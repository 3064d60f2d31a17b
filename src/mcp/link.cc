// SPDX-License-Identifier: Apache-2.0
#include "mcp/link.h"

#include <algorithm>

namespace mcp {

bool Link::has(const std::string& key) const {
  return std::any_of(waiting.begin(), waiting.end(), [&](const auto& each) { return each.second == key; });
}

void Link::forget(const std::string& key) {
  std::erase_if(waiting, [&](const auto& each) { return each.second == key; });
}

}  // namespace mcp
