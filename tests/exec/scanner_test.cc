// SPDX-License-Identifier: Apache-2.0
#include "exec/scanner.h"

#include <gtest/gtest.h>
#include <random>

namespace exec {
namespace {

constexpr std::string_view kSentinel = "__KR_DONE_0123abcd__";
const std::string kBeginMark = "\x1b]7717;__KR_DONE_0123abcd__;begin\a";

std::string end_mark(std::string_view status) {
  return "\x1b]7717;__KR_DONE_0123abcd__;" + std::string(status) + "\a";
}

struct Found {
  std::string output;
  bool ended = false;
  std::optional<int> status;
};

Found scan(Scanner scanner, std::string_view bytes, size_t piece) {
  Found found;
  while (!bytes.empty() && !found.ended) {
    const auto end =
        scanner.feed(bytes.substr(0, piece), [&](std::string_view fresh) { found.output += fresh; });
    if (end) {
      found.ended = true;
      found.status = end->status;
    }
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return found;
}

Found scan(std::string_view bytes, size_t piece = SIZE_MAX) { return scan(Scanner(kSentinel), bytes, piece); }

TEST(Scanner, FindsTheOutputBetweenItsMarks) {
  const Found found = scan("$ echo of what was typed\r\n" + kBeginMark + "out\r\nput" + end_mark("3") + "$ ");
  EXPECT_TRUE(found.ended);
  EXPECT_EQ("out\r\nput", found.output);
  EXPECT_EQ(3, found.status);
}

TEST(Scanner, IsNotEndedByAnybodyElse) {
  const Found found = scan(kBeginMark + "\x1b]7717;__KR_DONE_ffffffff__;0\a" + "__KR_DONE_0123abcd__;0 " +
                           "\x1b]7717;x" + end_mark("0"));
  EXPECT_TRUE(found.ended);
  EXPECT_EQ("\x1b]7717;__KR_DONE_ffffffff__;0\a__KR_DONE_0123abcd__;0 \x1b]7717;x", found.output);
}

TEST(Scanner, AnEndBeforeTheBeginningIsNone) { EXPECT_FALSE(scan(end_mark("0") + "x").ended); }

TEST(Scanner, AMarkThatDoesNotEndIsOutput) {
  const std::string broken = end_mark("").substr(0, end_mark("").size() - 1) + std::string(1000, 'x');
  const Found found = scan(kBeginMark + broken + end_mark("0"));
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(broken, found.output);
}

TEST(Scanner, KnowsSignalsAsKshCountsThem) { EXPECT_EQ(137, scan(kBeginMark + end_mark("265")).status); }

TEST(Scanner, AStatusThatIsNoneIsNotInvented) {
  const Found found = scan(kBeginMark + end_mark("what"));
  EXPECT_TRUE(found.ended);
  EXPECT_FALSE(found.status);
}

TEST(Scanner, FindsTheSameInAnyPieces) {
  std::mt19937 random(1);
  const std::string parts[] = {"x",  "\x1b", "\x1b]",   "\x1b]7717;", "\x1b]7717;__KR_DONE_0123abcd__;",
                               "\a", "\n",   kBeginMark};
  for (int round = 0; round < 3000; round++) {
    std::string bytes = kBeginMark;
    for (int i = 0; i < 8; i++) bytes += parts[random() % std::size(parts)];
    bytes += end_mark("7");
    const Found whole = scan(bytes);
    for (const size_t piece : {1, 2, 3, 7}) {
      const Found found = scan(bytes, piece);
      EXPECT_EQ(whole.output, found.output);
      EXPECT_EQ(whole.status, found.status);
      EXPECT_EQ(whole.ended, found.ended);
    }
  }
}

TEST(Scanner, ReadsTheMarksOfAShell) {
  const Found found = scan(Scanner::of_shell_marks(),
                           "\x1b]133;B\aecho x\r\n\x1b]133;C\ax\r\n\x1b]133;D;4\a\x1b]133;A\a$ ", 3);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ("x\r\n", found.output);
  EXPECT_EQ(4, found.status);
}

}  // namespace
}  // namespace exec
