// SPDX-License-Identifier: Apache-2.0
#include "vt/mark.h"

#include <algorithm>

namespace vt {

void Marks::add(const Mark& mark) {
  if (!list_) list_ = std::make_unique<std::vector<Mark>>();
  std::erase_if(*list_, [&](const Mark& m) { return m.kind == mark.kind && m.column == mark.column; });
  if (list_->size() >= kMostMarksPerRow) list_->erase(list_->begin());
  // Behind those of the same column: the order in which they came is kept.
  const auto at = std::ranges::upper_bound(*list_, mark.column, {}, &Mark::column);
  list_->insert(at, mark);
}

void Marks::erase(uint32_t from, uint32_t to) {
  if (!list_) return;
  std::erase_if(*list_, [&](const Mark& m) { return m.column >= from && m.column < to; });
  if (list_->empty()) list_.reset();
}

const std::vector<Mark>& Marks::list() const {
  static const std::vector<Mark> kNone;
  return list_ ? *list_ : kNone;
}

}  // namespace vt
