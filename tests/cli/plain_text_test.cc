// SPDX-License-Identifier: Apache-2.0
#include "cli/plain_text.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace cli {
namespace {

std::string all_of(std::string_view bytes) {
  PlainText text;
  std::string lines = text.feed(bytes);
  return lines + text.finish();
}

TEST(PlainText, IsTheTextWithoutTheSequences) {
  EXPECT_EQ("plain\n", all_of("plain\r\n"));
  EXPECT_EQ("red and bold\n", all_of("\x1b[31mred\x1b[0m and \x1b[1;4mbold\x1b[m\n"));
  EXPECT_EQ("link\n", all_of("\x1b]8;;http://x\x1b\\link\x1b]8;;\a\n"));
  EXPECT_EQ("ab\n", all_of("a\x1b(B\x1b=\x1bP1$r0m\x1b\\\x1b[?2004hb\n"));
  EXPECT_EQ("\u00e9\u4e16\n", all_of("\u00e9\u0085\u4e16\n"));
  EXPECT_EQ("a\tb\n", all_of("a\tb\a\n"));
}

TEST(PlainText, LeavesALineAsItLookedAtItsEnd) {
  EXPECT_EQ("100%\n", all_of("1%\r50%\r100%\n"));
  EXPECT_EQ("done\n", all_of("working\r\x1b[Kdone\n"));
  EXPECT_EQ("done\n", all_of("working\x1b[2K\rdone\n"));
  EXPECT_EQ("ac\n", all_of("ab\bc\n"));
  EXPECT_EQ("a   b\n", all_of("a\x1b[3Cb\n"));
  EXPECT_EQ("xbc\n", all_of("abc\x1b[Gx\n"));
}

TEST(PlainText, BeginsANewLineWhereAnotherRowIsWritten) {
  EXPECT_EQ("top\nbottom\n", all_of("\x1b[2J\x1b[Htop\x1b[24;1Hbottom"));
}

TEST(PlainText, DoesNotMindHowTheBytesAreCut) {
  const std::string bytes = "\x1b[1;31mred\x1b[0m \u4e16\x1b]0;title\x1b\\!\r\n10%\r20%\r\n\xff\xc3(\n";
  const std::string whole = all_of(bytes);
  EXPECT_EQ("red \u4e16!\n20%\n\uFFFD\uFFFD(\n", whole);
  for (size_t cut = 0; cut <= bytes.size(); cut++) {
    PlainText text;
    std::string lines = text.feed(std::string_view(bytes).substr(0, cut));
    lines += text.feed(std::string_view(bytes).substr(cut));
    EXPECT_EQ(whole, lines + text.finish()) << "cut at " << cut;
  }
}

TEST(PlainText, GivesAnUnfinishedLineOutOnce) {
  PlainText text;
  EXPECT_EQ("one\n", text.feed("one\nName? "));
  EXPECT_EQ("Name? ", text.unfinished());
  EXPECT_EQ("", text.unfinished());
  EXPECT_EQ("", text.feed("Bob"));
  EXPECT_EQ("Bob", text.unfinished());
  EXPECT_EQ("\n", text.feed("\n"));
}

TEST(PlainText, GivesARewrittenLineOutOnceMoreWhenItIsComplete) {
  PlainText text;
  EXPECT_EQ("", text.feed("10%"));
  EXPECT_EQ("10%", text.unfinished());
  EXPECT_EQ("", text.feed("\r20%"));
  EXPECT_EQ("", text.unfinished());
  EXPECT_EQ("\n30%\n", text.feed("\r30%\n"));
}

TEST(PlainText, BoundsALine) {
  PlainText text;
  const std::string lines = text.feed("\x1b[99999999Cx" + std::string(300'000, 'y'));
  EXPECT_LT(3U, std::count(lines.begin(), lines.end(), '\n'));
}

}  // namespace
}  // namespace cli
