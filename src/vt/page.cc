// SPDX-License-Identifier: Apache-2.0
#include "vt/page.h"

#include <algorithm>
#include <utility>

namespace vt {

Page::Page(Size size) { replace({}, size); }

void Page::scroll_up(Region region, int count, uint32_t blank_style) {
  count = std::min(count, region.bottom - region.top + 1);
  if (region.top == 0 && region.bottom == rows() - 1) {
    first_ = index(count);
  } else {
    for (int y = region.top; y + count <= region.bottom; y++) std::swap(row(y), row(y + count));
  }
  for (int y = region.bottom - count + 1; y <= region.bottom; y++) row(y).clear(blank_style);
  disconnect(region.top);
  disconnect(region.bottom + 1);
}

void Page::scroll_down(Region region, int count, uint32_t blank_style) {
  count = std::min(count, region.bottom - region.top + 1);
  for (int y = region.bottom; y - count >= region.top; y--) std::swap(row(y), row(y - count));
  for (int y = region.top; y < region.top + count; y++) row(y).clear(blank_style);
  disconnect(region.top + count);
  disconnect(region.bottom + 1);
}

void Page::disconnect(int y) {
  if (y < rows()) row(y).wrapped = false;
}

void Page::clear(uint32_t blank_style) {
  for (Row& row : rows_) row.clear(blank_style);
}

void Page::replace(std::vector<Row> rows, Size size) {
  rows_ = std::move(rows);
  first_ = 0;
  rows_.reserve(static_cast<size_t>(size.rows));
  while (rows_.size() > static_cast<size_t>(size.rows)) rows_.pop_back();
  while (rows_.size() < static_cast<size_t>(size.rows)) rows_.emplace_back(size.columns);
  count_ = rows_.size();
}

std::vector<Row> Page::take() {
  std::ranges::rotate(rows_, rows_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
  count_ = 0;
  return std::move(rows_);
}

size_t Page::memory() const {
  size_t total = rows_.capacity() * sizeof(Row);
  for (const Row& row : rows_) total += row.memory();
  return total;
}

}  // namespace vt
