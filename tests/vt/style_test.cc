// SPDX-License-Identifier: Apache-2.0
// Styles are swept while what was remembered of them is still there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vt/screen.h"

namespace vt {
namespace {

constexpr Color kSeen{ColorKind::indexed, 77};

// That many colours that were never there before, each in place of the one before.
std::string new_colors(int count) {
  static int next = 0;
  std::string bytes;
  for (; count > 0; count--, next++)
    bytes += fmt::format("\x1b[H\x1b[38;2;{};{};{}mx", next & 255, next >> 8 & 255, next >> 16);
  return bytes;
}

TEST(Styles, AColourThatWasSweptIsRightWhenItComesAgain) {
  Screen screen({20, 3});
  const std::string seen = "\x1b[2;1H\x1b[38;5;77mA\x1b[0m";
  const std::string gone = "\x1b[2;1H\x1b[0m-";
  Line line;
  for (int between = 0; between < 1200; between += 50) {
    // Enough behind each for the quick way, which is the one that remembers.
    screen.feed(new_colors(500) + seen + gone + new_colors(between) + seen + new_colors(1500));
    screen.read(1, line);
    ASSERT_EQ(1U, line.glyphs.size());
    EXPECT_EQ(kSeen, line.glyphs[0].style.foreground) << between;
    screen.feed(gone);
  }
}

TEST(Styles, AColourSeenBeforeKeepsWhatElseThePenHas) {
  Screen screen({40, 3});
  const std::string color = "\x1b[38;5;77m";
  const std::string rest(40, '\0');
  screen.feed(color + "a" + color + "b\x1b[1m" + color + "c\x1b[44m" + color + "d\x1b[K\x1b[0m" + color +
              "e" + rest);
  Line line;
  screen.read(0, line);
  ASSERT_LE(5U, line.glyphs.size());
  for (size_t x = 0; x < 5; x++) {
    const Style& style = line.glyphs[x].style;
    EXPECT_EQ(kSeen, style.foreground) << x;
    EXPECT_EQ(x == 2 || x == 3, style.has(kBold)) << x;
    EXPECT_EQ(x == 3 ? Color(ColorKind::basic, 4) : Color(), style.background) << x;
  }
  EXPECT_EQ(Color(ColorKind::basic, 4), line.glyphs.back().style.background);
}

}  // namespace
}  // namespace vt
