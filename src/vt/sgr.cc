// SPDX-License-Identifier: Apache-2.0
// SGR: what the pen writes like.
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

void reset(Style& pen) {
  pen = {.foreground = {}, .background = {}, .underline_color = {}, .link = pen.link};
}

struct Change {
  uint16_t on = 0;
  uint16_t off = 0;
};

constexpr Change change_of(int code) {
  switch (code) {
    case 1:
      return {.on = kBold};
    case 2:
      return {.on = kDim};
    case 3:
      return {.on = kItalic};
    case 5:
    case 6:
      return {.on = kBlink};
    case 7:
      return {.on = kInverse};
    case 8:
      return {.on = kInvisible};
    case 9:
      return {.on = kStrike};
    case 22:
      return {.off = kBold | kDim};
    case 23:
      return {.off = kItalic};
    case 25:
      return {.off = kBlink};
    case 27:
      return {.off = kInverse};
    case 28:
      return {.off = kInvisible};
    case 29:
      return {.off = kStrike};
    case 53:
      return {.on = kOverline};
    case 55:
      return {.off = kOverline};
    default:
      return {};
  }
}

void apply(Style& pen, int code) {
  if (code >= 30 && code <= 37) {
    pen.foreground = {ColorKind::basic, static_cast<uint32_t>(code - 30)};
  } else if (code >= 40 && code <= 47) {
    pen.background = {ColorKind::basic, static_cast<uint32_t>(code - 40)};
  } else if (code >= 90 && code <= 97) {
    pen.foreground = {ColorKind::basic, static_cast<uint32_t>(code - 90 + 8)};
  } else if (code >= 100 && code <= 107) {
    pen.background = {ColorKind::basic, static_cast<uint32_t>(code - 100 + 8)};
  } else if (code == 0) {
    reset(pen);
  } else if (code == 39) {
    pen.foreground = {};
  } else if (code == 49) {
    pen.background = {};
  } else if (code == 59) {
    pen.underline_color = {};
  } else if (code == 21) {
    pen.underline = Underline::twice;
  } else if (code == 24) {
    pen.underline = Underline::none;
  } else {
    const Change change = change_of(code);
    pen.attributes = static_cast<uint16_t>((pen.attributes | change.on) & ~change.off);
  }
}

}  // namespace

void Screen::select_rendition(const Sequence& sequence) {
  pen_changed_ = true;
  for (size_t i = 0; i < sequence.count; i++) {
    const int code = sequence.values[i];
    size_t subs = 0;
    while (sequence.is_sub(i + subs + 1)) subs++;
    if (code == 38 || code == 48 || code == 58) {
      Color& color = *color_slot(pen_, code);
      if (subs > 0)
        colon_color(sequence, i, subs, color);
      else
        i += semicolon_color(sequence, i, color);
    } else if (code == 4) {
      const int32_t style = subs > 0 ? sequence.at(i + 1) : 1;
      pen_.underline = style >= 0 && style <= 5 ? static_cast<Underline>(style) : Underline::single;
    } else {
      apply(pen_, code);
    }
    i += subs;
  }
}

}  // namespace vt
