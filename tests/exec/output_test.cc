// SPDX-License-Identifier: Apache-2.0
#include "exec/output.h"

#include <gtest/gtest.h>
#include <random>

namespace exec {
namespace {

constexpr size_t kMuch = 1 << 20;

std::string text_of(std::string_view bytes) {
  Output output(Keep::text, kMuch);
  output.add(bytes);
  output.finish();
  return std::string(output.text());
}

TEST(Output, IsWhatWasWrittenBeforeTheTerminalChangedIt) {
  EXPECT_EQ("a\nb\n", text_of("a\r\nb\r\n"));
  EXPECT_EQ("a\r\nb", text_of("a\r\r\nb"));
  EXPECT_EQ("50%\r100%\n", text_of("50%\r100%\r\n"));
  EXPECT_EQ("end\r", text_of("end\r"));
}

TEST(Output, HasNoEscapeSequences) {
  EXPECT_EQ("red", text_of("\x1b[1;31mred\x1b[0m"));
  EXPECT_EQ("ab", text_of("a\x1b]0;a title\ab"));
  EXPECT_EQ("ab", text_of("a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\"));
  EXPECT_EQ("ab", text_of("a\x1bP1$r0m\x1b\\b"));
  EXPECT_EQ("ab", text_of("a\x1b(Bb"));
  EXPECT_EQ("ab", text_of("a\x1b"
                          "7b"));
  EXPECT_EQ("tab\tbell\a back\b", text_of("tab\tbell\a back\b"));
}

TEST(Output, GoesOnBehindASequenceThatWasBrokenOff) {
  EXPECT_EQ("a\nb\n", text_of("a\x1b[1;\r\nb\r\n"));
  EXPECT_EQ("a\nb\n", text_of("a\x1b]0;no end\r\nb\r\n"));
  EXPECT_EQ("ab", text_of("a\x1b]0;one\x1b[1mb"));
}

TEST(Output, KeepsEverythingIfItShould) {
  Output output(Keep::everything, kMuch);
  output.add("\x1b[1mx\r\n");
  EXPECT_EQ("\x1b[1mx\r\n", output.text());
}

TEST(Output, IsTheSameInAnyPieces) {
  std::mt19937 random(7717);
  const std::string_view parts[] = {"\r", "\n", "\r\n", "x",  "\x1b", "[",        "]",
                                    "0;", "m",  "\a",   "\\", "P",    "\xc3\xa4", "\x1b[3"};
  for (int round = 0; round < 5000; round++) {
    std::string bytes;
    for (int i = 0; i < 12; i++) bytes += parts[random() % std::size(parts)];
    Output pieces(Keep::text, kMuch);
    std::string given;
    for (const char c : bytes) given += pieces.add({&c, 1});
    given += pieces.finish();
    EXPECT_EQ(text_of(bytes), given);
    EXPECT_EQ(given, pieces.text());
  }
}

TEST(Output, KeepsTheNewestAndCountsAll) {
  Output output(Keep::text, 10);
  for (int i = 0; i < 100; i++) output.add("12345");
  EXPECT_EQ("1234512345", output.text());
  EXPECT_EQ(500U, output.count());
  EXPECT_TRUE(output.truncated());
  Output small(Keep::text, 10);
  small.add("123");
  EXPECT_FALSE(small.truncated());
}

}  // namespace
}  // namespace exec
