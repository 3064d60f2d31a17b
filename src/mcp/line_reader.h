// SPDX-License-Identifier: Apache-2.0
// LineReader: bytes in any pieces become lines. A line that is too long is announced once and passed over
// without being kept; the next one is read as usual.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

constexpr size_t kMostLine = 4 << 20;

struct Line {
  enum class Kind { whole, too_long };
  Kind kind = Kind::whole;
  std::string text = {};
};

class LineReader {
 public:
  void append(std::string_view bytes);
  std::optional<Line> next();
  // At the end of the stream: what stands behind the last newline.
  std::optional<Line> rest();

 private:
  std::string bytes_;
  size_t start_ = 0;       // of the line that comes next
  size_t searched_ = 0;    // up to here there is no newline in it
  bool skipping_ = false;  // in a line that was too long
};

}  // namespace mcp
