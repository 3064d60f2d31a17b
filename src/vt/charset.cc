// SPDX-License-Identifier: Apache-2.0
#include "vt/charset.h"

#include <string_view>

namespace vt {
namespace {

// 0x60 to 0x7E of the DEC special graphics.
constexpr char32_t kLineDrawing[] = U"◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";
static_assert(sizeof kLineDrawing / sizeof kLineDrawing[0] == 0x7F - 0x60 + 1);

}  // namespace

std::optional<Charset> find_charset(char final) {
  switch (final) {
    case 'B':
    case '1':
      return Charset::ascii;
    case '0':
    case '2':
      return Charset::line_drawing;
    case 'A':
      return Charset::british;
    default:
      // National sets replace a few signs by letters; in UTF-8 nobody needs them, and ASCII is the better
      // guess.
      if (std::string_view("4C5RQKYE6ZH7=").find(final) != std::string_view::npos) return Charset::ascii;
      return {};
  }
}

char charset_final(Charset charset) {
  switch (charset) {
    case Charset::line_drawing:
      return '0';
    case Charset::british:
      return 'A';
    case Charset::ascii:
      break;
  }
  return 'B';
}

char32_t translate(Charset charset, char ascii) {
  if (charset == Charset::line_drawing && ascii >= 0x60) return kLineDrawing[ascii - 0x60];
  if (charset == Charset::british && ascii == '#') return U'£';
  return static_cast<unsigned char>(ascii);
}

}  // namespace vt
