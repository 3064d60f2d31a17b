// SPDX-License-Identifier: Apache-2.0
// SGR: what the pen writes like.
#include <array>

#include "vt/screen.h"

namespace vt {
namespace {

uint8_t part(int32_t value) { return static_cast<uint8_t>(value < 0 ? 0 : value); }

Color rgb_color(int32_t red, int32_t green, int32_t blue) {
  return {ColorKind::rgb,
          static_cast<uint32_t>(part(red)) << 16 | static_cast<uint32_t>(part(green)) << 8 | part(blue)};
}

Color* color_slot(Style& pen, int code) {
  if (code == 38) return &pen.foreground;
  if (code == 48) return &pen.background;
  return &pen.underline_color;
}

// 38:5:n, 38:2:r:g:b and 38:2:space:r:g:b; `subs` sub-parameters stand behind `at`.
void colon_color(const Sequence& sequence, size_t at, size_t subs, Color& color) {
  const int32_t kind = sequence.at(at + 1);
  if (kind == 5) color = {ColorKind::indexed, part(sequence.at(at + 2))};
  if (kind != 2) return;
  const size_t red = subs >= 5 ? at + 3 : at + 2;
  const auto sub = [&](size_t i) { return i <= at + subs ? sequence.at(i) : 0; };
  color = rgb_color(sub(red), sub(red + 1), sub(red + 2));
}

// 38;5;n and 38;2;r;g;b. Gives how many parameters it took.
size_t semicolon_color(const Sequence& sequence, size_t at, Color& color) {
  const int32_t kind = sequence.at(at + 1);
  if (kind == 5) {
    color = {ColorKind::indexed, part(sequence.at(at + 2))};
    return 2;
  }
  if (kind == 2) {
    color = rgb_color(sequence.at(at + 2), sequence.at(at + 3), sequence.at(at + 4));
    return 4;
  }
  return 1;
}

// What a code that stands for itself does to the pen, as masks and bits: most sequences are of these, in no
// order that a processor could guess, so they are applied without a branch.
struct Change {
  uint32_t keep_foreground = ~0U;
  uint32_t foreground = 0;
  uint32_t keep_background = ~0U;
  uint32_t background = 0;
  uint32_t keep_underline_color = ~0U;
  uint16_t keep_attributes = 0xFFFF;
  uint16_t attributes = 0;
  uint8_t keep_underline = 0xFF;
  uint8_t underline = 0;
};

constexpr int kCodes = 108;

constexpr std::array<Change, kCodes> make_changes() {
  std::array<Change, kCodes> all{};
  for (uint32_t i = 0; i < 16; i++) {
    const size_t code = i < 8 ? 30 + i : 90 + i - 8;
    all[code].keep_foreground = 0;
    all[code].foreground = Color(ColorKind::basic, i).bits();
    all[code + 10].keep_background = 0;
    all[code + 10].background = Color(ColorKind::basic, i).bits();
  }
  all[0] = {.keep_foreground = 0,
            .keep_background = 0,
            .keep_underline_color = 0,
            .keep_attributes = 0,
            .keep_underline = 0};
  all[39].keep_foreground = 0;
  all[49].keep_background = 0;
  all[59].keep_underline_color = 0;
  constexpr Attribute kOn[] = {kBold, kDim, kItalic, {}, kBlink, kBlink, kInverse, kInvisible, kStrike};
  for (size_t i = 0; i < std::size(kOn); i++) all[i + 1].attributes = kOn[i];
  all[53].attributes = kOverline;
  constexpr auto kWithout = [](int attributes) { return static_cast<uint16_t>(~attributes); };
  all[22].keep_attributes = kWithout(kBold | kDim);
  all[23].keep_attributes = kWithout(kItalic);
  all[25].keep_attributes = kWithout(kBlink);
  all[27].keep_attributes = kWithout(kInverse);
  all[28].keep_attributes = kWithout(kInvisible);
  all[29].keep_attributes = kWithout(kStrike);
  all[55].keep_attributes = kWithout(kOverline);
  for (const size_t code : {size_t{4}, size_t{21}, size_t{24}}) all[code].keep_underline = 0;
  all[4].underline = static_cast<uint8_t>(Underline::single);
  all[21].underline = static_cast<uint8_t>(Underline::twice);
  return all;
}

constexpr std::array<Change, kCodes> kChanges = make_changes();

void apply(Style& pen, int code) {
  if (code >= kCodes || code < 0) return;
  const Change& change = kChanges[static_cast<size_t>(code)];
  pen.foreground = Color::from_bits((pen.foreground.bits() & change.keep_foreground) | change.foreground);
  pen.background = Color::from_bits((pen.background.bits() & change.keep_background) | change.background);
  pen.underline_color = Color::from_bits(pen.underline_color.bits() & change.keep_underline_color);
  pen.attributes = static_cast<uint16_t>((pen.attributes & change.keep_attributes) | change.attributes);
  pen.underline = static_cast<Underline>((static_cast<uint8_t>(pen.underline) & change.keep_underline) |
                                         change.underline);
}

}  // namespace

void Screen::select_rendition(const Sequence& sequence) {
  pen_changed_ = true;
  if (sequence.count == 1 && sequence.values[0] == 0) {
    pen_ = {.foreground = {}, .background = {}, .underline_color = {}, .link = pen_.link};
    return;
  }
  for (size_t i = 0; i < sequence.count; i++) {
    const int code = sequence.values[i];
    size_t subs = 0;
    if (sequence.colons != 0)
      while (sequence.is_sub(i + subs + 1)) subs++;
    if (code == 38 || code == 48 || code == 58) {
      Color& color = *color_slot(pen_, code);
      if (subs > 0)
        colon_color(sequence, i, subs, color);
      else
        i += semicolon_color(sequence, i, color);
    } else if (code == 4 && subs > 0) {
      const int32_t style = sequence.at(i + 1);
      pen_.underline = style >= 0 && style <= 5 ? static_cast<Underline>(style) : Underline::single;
    } else {
      apply(pen_, code);
    }
    i += subs;
  }
}

}  // namespace vt
