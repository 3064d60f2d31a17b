// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Strings, TrimTakesBlanksFromBothEnds) {
  EXPECT_EQ("a b", trim(" \t a b\r\n"));
  EXPECT_EQ("", trim(" \n "));
}

TEST(Strings, SplitKeepsEmptyParts) {
  EXPECT_EQ((std::vector<std::string_view>{"a", "", "b", ""}), split("a::b:", ':'));
  EXPECT_EQ((std::vector<std::string_view>{""}), split("", ':'));
}

TEST(Strings, NumbersAreWholeAndInRange) {
  EXPECT_EQ(80, parse_number("80", 1, 1000));
  for (const char* bad : {"", "0", "1001", "80x", " 80", "+80", "-3", "99999999999999999999", "0x10"})
    EXPECT_FALSE(parse_number(bad, 1, 1000)) << bad;
}

TEST(Strings, QuotedTextIsOneWordOfAShell) {
  EXPECT_EQ("plain-1.txt", shell_quote("plain-1.txt"));
  EXPECT_EQ("''", shell_quote(""));
  EXPECT_EQ("'a b'", shell_quote("a b"));
  EXPECT_EQ("'it'\\''s $HOME'", shell_quote("it's $HOME"));
}

TEST(Strings, WhatAUrlHasEncodedIsDecodedOrNothing) {
  EXPECT_EQ("a b/ü", percent_decoded("a%20b%2f%C3%BC", Plus::plus));
  EXPECT_EQ("1+1", percent_decoded("1+1", Plus::plus));
  EXPECT_EQ("1 1", percent_decoded("1+1", Plus::blank));
  EXPECT_EQ("", percent_decoded("", Plus::blank));
  for (const char* bad : {"%", "%4", "a%4", "%zz", "%4z", "% 1", "%+1", "%-1", "%00"})
    EXPECT_FALSE(percent_decoded(bad, Plus::plus)) << bad;
}

TEST(Strings, PrintableHidesControlBytesAndCutsLongText) {
  EXPECT_EQ("\\x1b[31mred\\n\\\\", printable("\x1b[31mred\n\\"));
  EXPECT_EQ("grün", printable("grün"));
  EXPECT_EQ("\\u009b0m", printable("\xC2\x9B"
                                   "0m"))
      << "a control sequence may also start with U+009B";
  EXPECT_EQ("ab…", printable("abcd", 2));
  EXPECT_EQ("a…", printable("aü", 2)) << "no half of a character";
}

}  // namespace
}  // namespace base
