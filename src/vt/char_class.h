// SPDX-License-Identifier: Apache-2.0
// What a code point does on the screen: how many columns it takes, and whether it may join the character to
// its left (grapheme clusters, Unicode 15, annex 29). Read from two tables that make_tables.cc writes during
// the build from utf8proc, so that a look-up is two loads.
#pragma once
#include <cstdint>
#include <string_view>

namespace vt {

enum class Break : uint8_t {
  other,
  control,  // invisible and joins nothing: dropped
  extend,
  zwj,
  spacing,
  regional,
  pictographic,
  l,
  v,
  t,
  lv,
  lvt,
};

class CharClass {
 public:
  // Plain characters stand alone whatever is to their left. Joinable ones may join a cluster that is open to
  // them, which a plain or joinable character never is. All others want the long way.
  enum class Kind : uint8_t { plain, joinable, complex };

  constexpr CharClass() = default;
  constexpr explicit CharClass(uint8_t bits) : bits_(bits) {}
  constexpr CharClass(int width, Kind kind, Break rule)
      : bits_(static_cast<uint8_t>(width | static_cast<int>(kind) << 2 | static_cast<int>(rule) << 4)) {}

  constexpr int width() const { return bits_ & 3; }
  constexpr Kind kind() const { return static_cast<Kind>(bits_ >> 2 & 3); }
  constexpr Break rule() const { return static_cast<Break>(bits_ >> 4); }
  constexpr uint8_t bits() const { return bits_; }

 private:
  uint8_t bits_ = 1;
};

constexpr int kClassBlockBits = 7;
extern const uint8_t kClassBlockOf[0x110000 >> kClassBlockBits];
extern const uint8_t kClassBlocks[];

inline CharClass char_class(char32_t code_point) {
  const auto cp = static_cast<uint32_t>(code_point);
  const uint32_t block = kClassBlockOf[cp >> kClassBlockBits];
  return CharClass(kClassBlocks[block << kClassBlockBits | (cp & ((1U << kClassBlockBits) - 1))]);
}

// Whether code points of two columns may join as well, or only marks of none.
enum class Clustering : bool { marks_only, graphemes };

// Does `next` belong to the character that `cluster` (not empty) holds?
bool joins(std::u32string_view cluster, char32_t next, Clustering clustering);

// Columns of a whole cluster: 1 or 2. It follows from the code points alone.
int cluster_width(std::u32string_view cluster);

}  // namespace vt
