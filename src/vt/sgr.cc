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

// Changes that set one part of the pen.
constexpr PenChange foreground(Color color) {
  return {.keep_colors = ~uint64_t{0xFFFFFFFF}, .colors = color.bits()};
}
constexpr PenChange background(Color color) {
  return {.keep_colors = 0xFFFFFFFF, .colors = static_cast<uint64_t>(color.bits()) << 32};
}
constexpr PenChange underline_color(Color color) {
  return {.keep_looks = ~uint64_t{0xFFFFFFFF}, .looks = color.bits()};
}
constexpr PenChange underline(Underline underline) {
  return {.keep_looks = ~(uint64_t{0xFFFF} << 48), .looks = static_cast<uint64_t>(underline) << 48};
}
constexpr PenChange with(int attributes) { return {.looks = static_cast<uint64_t>(attributes) << 32}; }
constexpr PenChange without(int attributes) {
  return {.keep_looks = ~(static_cast<uint64_t>(attributes) << 32)};
}

PenChange color_change(int code, Color color) {
  if (code == 38) return foreground(color);
  if (code == 48) return background(color);
  return underline_color(color);
}

// 38:5:n, 38:2:r:g:b and 38:2:space:r:g:b; `subs` sub-parameters stand behind `at`.
void colon_color(const Sequence& sequence, size_t at, size_t subs, PenChange& change) {
  const int32_t kind = sequence.at(at + 1);
  const int code = sequence.at(at);
  if (kind == 5) change.add(color_change(code, {ColorKind::indexed, part(sequence.at(at + 2))}));
  if (kind != 2) return;
  const size_t red = subs >= 5 ? at + 3 : at + 2;
  const auto sub = [&](size_t i) { return i <= at + subs ? sequence.at(i) : 0; };
  change.add(color_change(code, rgb_color(sub(red), sub(red + 1), sub(red + 2))));
}

// 38;5;n and 38;2;r;g;b. Gives how many parameters it took.
size_t semicolon_color(const Sequence& sequence, size_t at, PenChange& change) {
  const int32_t kind = sequence.at(at + 1);
  const int code = sequence.at(at);
  if (kind == 5) {
    change.add(color_change(code, {ColorKind::indexed, part(sequence.at(at + 2))}));
    return 2;
  }
  if (kind == 2) {
    change.add(color_change(code, rgb_color(sequence.at(at + 2), sequence.at(at + 3), sequence.at(at + 4))));
    return 4;
  }
  return 1;
}

// What the codes do that stand for themselves.
constexpr int kCodes = 108;
constexpr std::array<PenChange, kCodes> kChanges = [] {
  std::array<PenChange, kCodes> all{};
  all[0] = kPenReset;
  for (uint32_t i = 0; i < 16; i++) {
    const size_t code = i < 8 ? 30 + i : 90 + i - 8;
    all[code] = foreground({ColorKind::basic, i});
    all[code + 10] = background({ColorKind::basic, i});
  }
  all[39] = foreground({});
  all[49] = background({});
  all[59] = underline_color({});
  constexpr Attribute kOn[] = {kBold, kDim, kItalic, {}, kBlink, kBlink, kInverse, kInvisible, kStrike};
  for (size_t i = 0; i < std::size(kOn); i++) all[i + 1] = with(kOn[i]);
  all[53] = with(kOverline);
  all[22] = without(kBold | kDim);
  all[23] = without(kItalic);
  all[25] = without(kBlink);
  all[27] = without(kInverse);
  all[28] = without(kInvisible);
  all[29] = without(kStrike);
  all[55] = without(kOverline);
  all[4] = underline(Underline::single);
  all[21] = underline(Underline::twice);
  all[24] = underline(Underline::none);
  return all;
}();

PenChange change_of(const Sequence& sequence) {
  PenChange change;
  for (size_t i = 0; i < sequence.count; i++) {
    const int code = sequence.values[i];
    size_t subs = 0;
    if (sequence.colons != 0)
      while (sequence.is_sub(i + subs + 1)) subs++;
    if (code == 38 || code == 48 || code == 58) {
      if (subs > 0)
        colon_color(sequence, i, subs, change);
      else
        i += semicolon_color(sequence, i, change);
    } else if (code == 4 && subs > 0) {
      const int32_t style = sequence.at(i + 1);
      change.add(underline(style >= 0 && style <= 5 ? static_cast<Underline>(style) : Underline::single));
    } else if (code >= 0 && code < kCodes) {
      change.add(kChanges[static_cast<size_t>(code)]);
    }
    i += subs;
  }
  return change;
}

// A sequence with more parameters is a true colour, as a rule: too many of these to be worth remembering.
constexpr size_t kMostRemembered = 4;

}  // namespace

uint32_t Screen::blank_of_pen() { return tables_.styles.intern(pen_.erased()); }

void Screen::select_rendition(const Sequence& sequence) {
  const PenChange change = change_of(sequence);
  change.apply(pen_);
  pen_changed_ = true;
  if (!sequence.spelling.empty() && sequence.count <= kMostRemembered)
    pen_changes_.put(sequence.spelling, change);
}

}  // namespace vt
