// SPDX-License-Identifier: Apache-2.0
#include "vt/style.h"

#include <algorithm>
#include <utility>

namespace vt {
namespace {

constexpr size_t kFirstSlots = 128;
constexpr size_t kSlotsPerStyle = 4;  // sparse: a second look at the table is one that no processor expects
constexpr size_t kFirstSweep = 1024;
constexpr uint32_t kNoLink = UINT32_MAX;  // no pen has it

}  // namespace

StyleTable::StyleTable() : slots_(kFirstSlots, kFree), sweep_at_(kFirstSweep) { add({}); }

uint32_t StyleTable::add(const Style& style) {
  if ((live_ + 1) * kSlotsPerStyle > slots_.size()) grow();
  uint32_t id = 0;
  if (free_.empty()) {
    id = static_cast<uint32_t>(styles_.size());
    styles_.push_back(style);
  } else {
    id = free_.back();
    free_.pop_back();
    styles_[id] = style;
  }
  slots_[slot_of(style)] = id;
  live_++;
  return id;
}

void StyleTable::grow() {
  const std::vector<uint32_t> old = std::exchange(slots_, std::vector<uint32_t>(slots_.size() * 2, kFree));
  for (const uint32_t id : old)
    if (id != kFree) slots_[slot_of(styles_[id])] = id;
}

void StyleTable::begin_sweep() { marked_.assign(styles_.size(), 0); }

void StyleTable::end_sweep() {
  free_.clear();
  std::ranges::fill(slots_, kFree);
  live_ = 0;
  for (auto id = static_cast<uint32_t>(styles_.size()); id-- > 0;) {
    if (marked_[id] == 0 && id != 0) {
      free_.push_back(id);
      styles_[id].link = kNoLink;  // so that whoever kept the number does not take it for a style
      continue;
    }
    slots_[slot_of(styles_[id])] = id;
    live_++;
  }
  sweep_at_ = std::max(kFirstSweep, live_ * 2);
}

size_t StyleTable::memory() const {
  return styles_.capacity() * sizeof(Style) + (slots_.capacity() + free_.capacity()) * sizeof(uint32_t) +
         marked_.capacity();
}

}  // namespace vt
