// SPDX-License-Identifier: Apache-2.0
#include "config/text.h"

#include <gtest/gtest.h>

namespace config {
namespace {

TEST(Utf8, IsTakenToTheFirstByteThatIsNone) {
  EXPECT_EQ(0U, utf8_prefix(""));
  EXPECT_EQ(10U, utf8_prefix("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_EQ(1U, utf8_prefix("a\xC3"));
  EXPECT_EQ(0U, utf8_prefix("\xC0\x80"));          // longer than it need be
  EXPECT_EQ(0U, utf8_prefix("\xED\xA0\x80"));      // half of a surrogate pair
  EXPECT_EQ(0U, utf8_prefix("\xF4\x90\x80\x80"));  // beyond the last character
  EXPECT_EQ("a?b??", valid_utf8("a\xFF"
                                "b\xE2\x82"));
}

TEST(Quote, IsWhatJsonAndYamlBothRead) {
  EXPECT_EQ(R"("a\"b\\c")", quote("a\"b\\c"));
  EXPECT_EQ(R"("\n\t\r\u001b\u007f\u0000")", quote(std::string_view("\n\t\r\x1b\x7f\0", 6)));
  EXPECT_EQ(R"("é€😀")", quote("é€😀"));
  EXPECT_EQ(R"("\u0085\u2028\ufeff\u202e")", quote("\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF\xE2\x80\xAE"));
  EXPECT_EQ(R"("?")", quote("\xFF"));
}

TEST(YamlText, IsPlainOnlyWhereNobodyCanMisreadIt) {
  for (const char* plain : {"claude", "PROMPT.md", "/etc/x-1", "_a", "$HOME", "LOOP_COMPLETE"})
    EXPECT_EQ(plain, yaml_text(plain));
  for (const char* quoted :
       {"",     "true", "No", "ON", "y",   "null", "NaN", "12", "1.5", ".5",  "-a",  "+1", "a b",
        "a: b", "a #b", "#a", "~",  "[a]", "{a}",  "*a",  "&a", "!a",  "'a'", "a,b", "é"})
    EXPECT_EQ('"', yaml_text(quoted)[0]) << quoted;
}

TEST(Distance, CountsSlips) {
  EXPECT_EQ(0U, distance("port", "port"));
  EXPECT_EQ(1U, distance("prot", "port"));
  EXPECT_EQ(1U, distance("por", "port"));
  EXPECT_EQ(1U, distance("porrt", "port"));
  EXPECT_EQ(1U, distance("pork", "port"));
  EXPECT_EQ(4U, distance("", "port"));
}

}  // namespace
}  // namespace config
