// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "random_sequence.h"
#include "vt/text_view.h"

namespace vt {
namespace {

using vt_test::Grammar;
using vt_test::RandomSequence;

// Lines of words, some wide, some styled, of many lengths; the last ends in a word of its own.
std::string random_lines(RandomSequence& random, int count) {
  std::string out;
  for (; count > 0; count--) {
    for (uint32_t words = random.number(40); words > 0; words--) {
      constexpr std::string_view kWords[] = {
          "the",           "word",   "日本語", "\x1b[1mbold\x1b[m", "e\u0301t\u0301e", "👩‍💻",
          "a-longer-word", "한국어", "🇩🇪",     "\x1b[48;5;3mx"};
      (out += kWords[random.number(std::size(kWords))]) += ' ';
    }
    out += "\x1b[m.\r\n";
  }
  return out + "cursor@";
}

std::string text_before_cursor(const Screen& screen) {
  Line line;
  screen.read(screen.cursor().y, line);
  line.glyphs.resize(std::min(line.glyphs.size(), static_cast<size_t>(screen.cursor().x)));
  std::string text = line.text();
  if (line.wrapped && text.size() < 7) {
    Line above;
    screen.read(screen.cursor().y - 1, above);
    text = above.text() + text;
  }
  return text;
}

// A row holds whole characters only.
void expect_whole(const Screen& screen) {
  Line line;
  for (int y = -static_cast<int>(screen.scrollback().size()); y < screen.size().rows; y++) {
    screen.read(y, line);
    ASSERT_LE(line.glyphs.size(), static_cast<size_t>(screen.size().columns));
    for (size_t x = 0; x < line.glyphs.size(); x++) {
      const bool tail_follows = x + 1 < line.glyphs.size() && line.glyphs[x + 1].tail();
      ASSERT_EQ(line.glyphs[x].wide(), tail_follows) << "row " << y << " column " << x;
    }
  }
}

std::vector<std::string> without_empty_end(std::vector<std::string> lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

TEST(Reflow, GivesTheSameLinesBackAndKeepsTheCursorInItsWord) {
  for (uint64_t seed = 0; seed < 300; seed++) {
    RandomSequence random(seed, Grammar::everything);
    Screen screen({80, 24});
    screen.feed(random_lines(random, 1 + static_cast<int>(random.number(60))));
    const auto before = without_empty_end(lines(screen, SIZE_MAX));
    ASSERT_TRUE(text_before_cursor(screen).ends_with("cursor@"));
    for (const int columns : {40, 120, 80}) {
      screen.resize({columns, 24});
      ASSERT_EQ(before, without_empty_end(lines(screen, SIZE_MAX))) << "seed " << seed << " at " << columns;
      ASSERT_TRUE(text_before_cursor(screen).ends_with("cursor@")) << "seed " << seed << " at " << columns;
      expect_whole(screen);
    }
  }
}

TEST(Reflow, KeepsEveryLineAtAnyWidth) {
  for (uint64_t seed = 0; seed < 300; seed++) {
    RandomSequence random(seed + 1000, Grammar::everything);
    Screen screen({80, 24});
    screen.feed(random_lines(random, 30));
    const auto before = without_empty_end(lines(screen, SIZE_MAX));
    for (int i = 0; i < 5; i++) {
      screen.resize({2 + static_cast<int>(random.number(150)), 1 + static_cast<int>(random.number(40))});
      ASSERT_EQ(before, without_empty_end(lines(screen, SIZE_MAX))) << "seed " << seed;
      expect_whole(screen);
    }
  }
}

TEST(Reflow, NeverSplitsACharacterWhateverWasOnTheScreen) {
  for (uint64_t seed = 0; seed < 2000; seed++) {
    RandomSequence random(seed + 5000, Grammar::everything);
    Screen screen({30, 8});
    for (int i = 0; i < 4; i++) {
      screen.feed(random.make(30));
      screen.resize({1 + static_cast<int>(random.number(40)), 1 + static_cast<int>(random.number(12))});
      ASSERT_NO_FATAL_FAILURE(expect_whole(screen)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace vt
