// SPDX-License-Identifier: Apache-2.0
// How a character looks: colours, attributes, the hyperlink it belongs to. Cells carry a number instead,
// given by a StyleTable; the number 0 is the default style. Styles that no cell uses any more are swept by
// the owner of the table when it has grown (see Screen::collect), so its size is bounded by the cells on the
// screen.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vt {

enum class ColorKind : uint8_t { none, basic, indexed, rgb };

// `basic` are the 16 colours of SGR 30-37 and 90-97: the same palette as `indexed`, kept apart because
// terminals that show bold as bright do so for these only.
class Color {
 public:
  constexpr Color() = default;
  constexpr Color(ColorKind kind, uint32_t value) : bits_(static_cast<uint32_t>(kind) << 24 | value) {}

  constexpr ColorKind kind() const { return static_cast<ColorKind>(bits_ >> 24); }
  constexpr uint32_t value() const { return bits_ & 0xFFFFFF; }  // palette index, or 0xRRGGBB
  constexpr uint32_t bits() const { return bits_; }
  static constexpr Color from_bits(uint32_t bits) {
    return {static_cast<ColorKind>(bits >> 24), bits & 0xFFFFFF};
  }
  friend constexpr bool operator==(Color, Color) = default;

 private:
  uint32_t bits_ = 0;
};

enum Attribute : uint16_t {
  kBold = 1 << 0,
  kDim = 1 << 1,
  kItalic = 1 << 2,
  kBlink = 1 << 3,
  kInverse = 1 << 4,
  kInvisible = 1 << 5,
  kStrike = 1 << 6,
  kOverline = 1 << 7,
  kProtected = 1 << 8,
};

enum class Underline : uint16_t { none, single, twice, curly, dotted, dashed };

struct Style {
  Color foreground;
  Color background;
  Color underline_color;
  uint16_t attributes = 0;
  Underline underline = Underline::none;
  uint32_t link = 0;  // number in the LinkTable, 0 for none

  bool has(Attribute attribute) const { return (attributes & attribute) != 0; }
  // What erased cells get: the background colour and nothing else.
  Style erased() const { return {.foreground = {}, .background = background, .underline_color = {}}; }
  friend bool operator==(const Style& a, const Style& b) {
    return ((a.colors() ^ b.colors()) | (a.looks() ^ b.looks()) | (a.link ^ b.link)) == 0;
  }
  // All but the link in two words, in the order of their bytes, so that each is one load and one store.
  constexpr uint64_t colors() const {
    return static_cast<uint64_t>(background.bits()) << 32 | foreground.bits();
  }
  constexpr uint64_t looks() const {
    return static_cast<uint64_t>(underline) << 48 | static_cast<uint64_t>(attributes) << 32 |
           underline_color.bits();
  }
  constexpr void set_words(uint64_t colors, uint64_t looks) {
    foreground = Color::from_bits(static_cast<uint32_t>(colors));
    background = Color::from_bits(static_cast<uint32_t>(colors >> 32));
    underline_color = Color::from_bits(static_cast<uint32_t>(looks));
    attributes = static_cast<uint16_t>(looks >> 32);
    underline = static_cast<Underline>(looks >> 48);
  }
};

class StyleTable {
 public:
  StyleTable();

  uint32_t intern(const Style& style) {
    const uint32_t known = slots_[slot_of(style)];
    return known != kFree ? known : add(style);
  }
  const Style& operator[](uint32_t id) const { return styles_[id]; }
  // Whether the number stands for the style; it may have been swept since it was given.
  bool is(uint32_t id, const Style& style) const { return styles_[id] == style; }

  // True when so many were added since the last sweep that another is due.
  bool wants_sweep() const { return live_ >= sweep_at_; }
  void begin_sweep();
  void mark(uint32_t id) { marked_[id] = 1; }
  template <typename Visit>
  void for_each_marked(Visit visit) const {
    for (size_t id = 0; id < marked_.size(); id++)
      if (marked_[id] != 0) visit(styles_[id]);
  }
  void end_sweep();

  size_t memory() const;

 private:
  static constexpr uint32_t kFree = UINT32_MAX;

  static uint64_t hash(const Style& style) {
    const uint64_t colors = style.colors() * 0x9E3779B97F4A7C15;
    const uint64_t rest = (style.looks() ^ static_cast<uint64_t>(style.link) << 8) * 0xD1B54A32D192ED03;
    // Slots are chosen by the lowest bits, and it is the highest of a product that depend on all.
    return std::byteswap(colors + rest);
  }
  size_t slot_of(const Style& style) const {
    size_t slot = hash(style) & (slots_.size() - 1);
    while (slots_[slot] != kFree && styles_[slots_[slot]] != style) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  uint32_t add(const Style& style);
  void grow();

  std::vector<Style> styles_;
  std::vector<uint32_t> slots_;  // ids, by open addressing
  std::vector<uint32_t> free_;
  std::vector<uint8_t> marked_;
  size_t live_ = 0;
  size_t sweep_at_;
};

}  // namespace vt
