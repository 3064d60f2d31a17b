// SPDX-License-Identifier: Apache-2.0
#include "vt/screen.h"

#include <algorithm>

namespace vt {
namespace {

constexpr int kTabWidth = 8;

Size clamped(Size size) {
  return {std::clamp(size.columns, 1, Screen::kMostColumns), std::clamp(size.rows, 1, Screen::kMostRows)};
}

}  // namespace

Buffer::Buffer(Size size) : page(size), region{0, size.rows - 1}, tabs(static_cast<size_t>(size.columns)) {
  for (size_t x = 0; x < tabs.size(); x += kTabWidth) tabs[x] = true;
}

Screen::Screen(Size size, Options options, Sink* sink)
    : size_(clamped(size)),
      options_(std::move(options)),
      sink_(sink),
      scrollback_(options_.scrollback_rows),
      main_(size_),
      alternate_(size_),
      palette_(options_.theme) {}

void Screen::resize(Size size) {
  size = clamped(size);
  if (size == size_) return;
  generation_++;
  resize_main(size);
  resize_alternate(size);
  for (Buffer* buffer : {&main_, &alternate_}) {
    buffer->region = {0, size.rows - 1};
    buffer->saved.at.x = std::min(buffer->saved.at.x, size.columns - 1);
    buffer->saved.at.y = std::min(buffer->saved.at.y, size.rows - 1);
    const auto had = static_cast<int>(buffer->tabs.size());
    buffer->tabs.resize(static_cast<size_t>(size.columns));
    for (int x = had; x < size.columns; x++) buffer->tabs[static_cast<size_t>(x)] = x % kTabWidth == 0;
  }
  size_ = size;
  if (modes_[Mode::in_band_resize]) report_size(48);
}

void Screen::read(Which which, int y, Line& line) const {
  if (y < 0) {
    scrollback_.read(scrollback_.size() - static_cast<size_t>(-y), line);
    return;
  }
  line.clear();
  const Row& row = buffer(which).page.row(y);
  line.wrapped = row.wrapped;
  line.marks = row.marks.list();
  std::vector<Cell> expanded;
  const Cell* cells = row.cells_if_any();
  if (cells == nullptr) {
    expanded.resize(static_cast<size_t>(row.used()));
    expand(expanded.data(), row.text(), row.text_style());
    cells = expanded.data();
  }
  line.glyphs.reserve(static_cast<size_t>(row.used()));
  for (int x = 0; x < row.used(); x++) {
    const Cell& cell = cells[x];
    uint32_t text = cell.text;
    if (cell.cluster()) {
      text = static_cast<uint32_t>(line.clusters.size()) | (cell.text & ~Cell::kValue);
      line.clusters.emplace_back(tables_.clusters[cell.value()]);
    }
    line.glyphs.push_back({text, tables_.styles[cell.style]});
  }
  line.trim();
}

std::vector<Screen::PlacedMark> Screen::marks(size_t most) const {
  std::vector<PlacedMark> found;
  Line line;
  for (int y = size_.rows - 1; y >= -static_cast<int>(scrollback_.size()) && found.size() < most; y--) {
    if (y >= 0 && main_.page.row(y).marks.empty()) continue;
    read(Which::main, y, line);
    for (auto mark = line.marks.rbegin(); mark != line.marks.rend() && found.size() < most; ++mark)
      found.push_back({y, *mark});
  }
  std::ranges::reverse(found);
  return found;
}

size_t Screen::memory_usage() const {
  return sizeof *this + main_.page.memory() + alternate_.page.memory() + scrollback_.memory() +
         tables_.memory() + parser_.memory();
}

std::string Screen::pending() const {
  std::string out;
  if (charsets_.single != 0) out += charsets_.single == 2 ? "\x1bN" : "\x1bO";
  out.append(partial_.data(), partial_size_);
  return out + parser_.pending();
}

}  // namespace vt
