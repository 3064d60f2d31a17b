// SPDX-License-Identifier: Apache-2.0
#include "exec/typed.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace exec {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSentinel = "__KR_DONE_0123abcd__";
constexpr auto kAll = {Shell::bash, Shell::zsh, Shell::ksh, Shell::posix, Shell::plain, Shell::fish};

std::string typed_or_fail(Shell shell, std::string_view command) {
  auto text = typed(shell, command, kSentinel);
  EXPECT_TRUE(text);
  return text.value_or("");
}

TEST(Typed, NeverHoldsAMark) {
  for (const Shell shell : kAll) {
    const std::string text = typed_or_fail(shell, "echo x");
    EXPECT_THAT(text, Not(HasSubstr(mark_start(kSentinel)))) << name_of(shell);
    EXPECT_THAT(text, Not(HasSubstr(std::string(kSentinel)))) << name_of(shell);
    EXPECT_TRUE(text.ends_with('\r'));
  }
}

TEST(Typed, IsPrintableWhereALineEditorReadsIt) {
  std::string command;
  for (int c = 1; c < 256; c++) command += static_cast<char>(c);
  for (const Shell shell : {Shell::bash, Shell::zsh, Shell::ksh, Shell::posix, Shell::fish}) {
    const std::string text = typed_or_fail(shell, command);
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
      return c == '\r' || (c >= ' ' && c <= '~');
    })) << name_of(shell);
  }
}

TEST(Typed, ComesInLinesThatATerminalTakes) {
  for (const Shell shell : kAll) {
    const std::string text = typed_or_fail(shell, std::string(20000, 'x'));
    size_t longest = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\r', at);
      longest = std::max(longest, end - at);
      at = end + 1;
    }
    EXPECT_LT(longest, 1000U) << name_of(shell);
  }
}

TEST(Typed, RefusesWhatCannotBeTyped) {
  EXPECT_FALSE(typed(Shell::bash, std::string(kMostCommand + 1, 'x'), kSentinel));
  EXPECT_FALSE(typed(Shell::bash, std::string_view("a\0b", 3), kSentinel));
}

TEST(Sentinel, IsOfLettersDigitsAndUnderscores) {
  EXPECT_TRUE(check_sentinel(new_sentinel()));
  EXPECT_NE(new_sentinel(), new_sentinel());
  EXPECT_TRUE(check_sentinel("12345678"));
  EXPECT_FALSE(check_sentinel("1234567"));
  EXPECT_FALSE(check_sentinel(std::string(65, 'a')));
  EXPECT_FALSE(check_sentinel("a b c d e"));
  EXPECT_FALSE(check_sentinel("';reboot;'"));
}

}  // namespace
}  // namespace exec
