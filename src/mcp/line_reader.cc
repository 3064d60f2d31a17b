// SPDX-License-Identifier: Apache-2.0
#include "mcp/line_reader.h"

#include <utility>

namespace mcp {

void LineReader::append(std::string_view bytes) {
  bytes_.erase(0, start_);
  searched_ -= start_;
  start_ = 0;
  bytes_ += bytes;
}

std::optional<Line> LineReader::next() {
  for (;;) {
    const size_t end = bytes_.find('\n', searched_);
    if (end == std::string::npos) break;
    const size_t length = end - start_;
    const size_t begin = std::exchange(start_, end + 1);
    searched_ = start_;
    if (std::exchange(skipping_, false)) continue;
    if (length > kMostLine) return Line{.kind = Line::Kind::too_long};
    return Line{.text = bytes_.substr(begin, length)};
  }
  searched_ = bytes_.size();
  const bool too_long = bytes_.size() - start_ > kMostLine;
  if (skipping_ || too_long) start_ = bytes_.size();
  if (!too_long || skipping_) return {};
  skipping_ = true;
  return Line{.kind = Line::Kind::too_long};
}

std::optional<Line> LineReader::rest() {
  if (skipping_ || start_ == bytes_.size()) return {};
  return Line{.text = bytes_.substr(std::exchange(start_, bytes_.size()))};
}

}  // namespace mcp
