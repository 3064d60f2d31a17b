// SPDX-License-Identifier: Apache-2.0
#include "vt/interned.h"

#include <algorithm>

namespace vt {
namespace {

constexpr size_t kEntryCost = 96;  // a map's node, its key and its number, about
constexpr size_t kLeastSweep = 1024;
constexpr size_t kLeastLinkSweep = size_t{256} << 10;

}  // namespace

uint32_t ClusterTable::intern(std::u32string_view cluster) {
  std::u32string key(cluster.substr(0, kMostClusterLength));
  if (const auto id = clusters_.find(key)) return *id;
  return clusters_.add(std::move(key));
}

void ClusterTable::end_sweep() {
  clusters_.end_sweep();
  sweep_at_ = std::max(kLeastSweep, clusters_.size() * 2);
}

size_t ClusterTable::memory() const {
  size_t total = 0;
  clusters_.for_each(
      [&](const std::u32string& key) { total += kEntryCost + key.capacity() * sizeof(char32_t); });
  return total;
}

uint32_t LinkTable::intern(const Link& link) {
  std::string key = link.id + "\n" + link.uri;
  if (const auto id = links_.find(key)) return *id;
  const size_t cost = kEntryCost + key.size();
  if (bytes_ + cost > kMostBytes) return 0;
  bytes_ += cost;
  return links_.add(std::move(key));
}

Link LinkTable::operator[](uint32_t id) const {
  const std::string& key = links_[id];
  const size_t at = key.find('\n');
  return {key.substr(0, at), key.substr(at + 1)};
}

void LinkTable::end_sweep() {
  links_.end_sweep();
  bytes_ = 0;
  links_.for_each([&](const std::string& key) { bytes_ += kEntryCost + key.size(); });
  sweep_at_ = std::max(kLeastLinkSweep, std::min(bytes_ * 2, kMostBytes));
}

}  // namespace vt
