// SPDX-License-Identifier: Apache-2.0
#include "filter/typed_line.h"

#include <gtest/gtest.h>

namespace filter {
namespace {

TypedLine typed(std::string_view keys) {
  TypedLine line;
  for (const char c : keys) line.apply(static_cast<unsigned char>(c));
  return line;
}

TEST(TypedLine, FollowsTheKeys) {
  EXPECT_EQ(typed("abc").text(), "abc");
  EXPECT_EQ(typed("abc\x7f").text(), "ab");
  EXPECT_EQ(typed("\x7f\x7f").text(), "");
  EXPECT_EQ(typed("one two\x17").text(), "one ");
  EXPECT_EQ(typed("one two  \x17\x17").text(), "");
  EXPECT_EQ(typed("one\x15two").text(), "two");
  EXPECT_EQ(typed("one\rtwo").text(), "two");
  EXPECT_EQ(typed("one\x03").text(), "");
  EXPECT_EQ(typed("a\x01"
                  "b")
                .text(),
            "ab");
  EXPECT_EQ(typed("a\xe2\x82\xac\x7f").text(), "a");
  EXPECT_EQ(typed("  a ").trimmed(), "a");
  EXPECT_TRUE(typed(" \t ").blank());
  EXPECT_EQ(typed("  a\x7f\x7f"
                  "b")
                .behind_blanks(),
            "b");
}

TEST(TypedLine, ALongLineIsKnownAgainWhenItIsShort) {
  TypedLine line = typed("exit");
  line.append(std::string(TypedLine::kMost, 'x'));
  EXPECT_FALSE(line.known());
  EXPECT_EQ(line.trimmed(), "");
  for (size_t i = 0; i < TypedLine::kMost; i++) line.apply(0x7f);
  EXPECT_EQ(line.text(), "exit");
}

TEST(TypedLine, AWordThatNobodyKnowsCannotBeErased) {
  TypedLine line;
  line.append(std::string(TypedLine::kMost + 1, 'x'));
  line.apply(0x17);
  EXPECT_FALSE(line.known());
  line.apply('\r');
  EXPECT_TRUE(line.known());
}

}  // namespace
}  // namespace filter
