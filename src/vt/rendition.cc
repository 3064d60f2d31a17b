// SPDX-License-Identifier: Apache-2.0
#include "vt/rendition.h"

#include <fmt/format.h>

namespace vt {
namespace {

struct Code {
  Attribute attribute;
  int code;
};
constexpr Code kCodes[] = {{kBold, 1},    {kDim, 2},       {kItalic, 3}, {kBlink, 5},
                           {kInverse, 7}, {kInvisible, 8}, {kStrike, 9}, {kOverline, 53}};

// `first` is 30, 40 or 50: foreground, background, underline. Underline colours have no short form, and only
// colons keep terminals that do not know them from taking the rest for attributes.
std::string color_codes(Color color, int first) {
  const uint32_t value = color.value();
  const char between = first == 50 ? ':' : ';';
  switch (color.kind()) {
    case ColorKind::none:
      return {};
    case ColorKind::basic:
      return fmt::format(";{}", value < 8 ? static_cast<uint32_t>(first) + value
                                          : static_cast<uint32_t>(first) + 60 + value - 8);
    case ColorKind::indexed:
      return fmt::format(";{1}{0}5{0}{2}", between, first + 8, value);
    case ColorKind::rgb:
      return fmt::format(";{1}{0}2{0}{5}{2}{0}{3}{0}{4}", between, first + 8, value >> 16, value >> 8 & 0xFF,
                         value & 0xFF, first == 50 ? ":" : "");
  }
  return {};
}

}  // namespace

std::string rendition(const Style& style) {
  std::string out = "0";
  for (const Code& code : kCodes)
    if (style.has(code.attribute)) out += fmt::format(";{}", code.code);
  if (style.underline == Underline::single)
    out += ";4";
  else if (style.underline != Underline::none)
    out += fmt::format(";4:{}", static_cast<int>(style.underline));
  return out + color_codes(style.foreground, 30) + color_codes(style.background, 40) +
         color_codes(style.underline_color, 50);
}

}  // namespace vt
