// SPDX-License-Identifier: Apache-2.0
#include "detect/patterns.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace {

using detect::Type;
using testing::Contains;
using testing::ElementsAre;

std::vector<std::string> names(const detect::Patterns& patterns, std::string_view line) {
  std::vector<std::string> out;
  for (const auto& each : patterns.find(line)) out.push_back(each.match.name);
  return out;
}

class EachPattern : public testing::TestWithParam<detect::PatternRow> {};

TEST_P(EachPattern, MatchesItsExampleAndNotItsCounterExample) {
  const detect::Patterns patterns;
  EXPECT_THAT(names(patterns, GetParam().example), Contains(GetParam().name));
  EXPECT_THAT(names(patterns, GetParam().counter_example), testing::Not(Contains(GetParam().name)));
}

INSTANTIATE_TEST_SUITE_P(Table, EachPattern,
                         testing::ValuesIn(detect::pattern_table().begin(), detect::pattern_table().end()),
                         [](const auto& row) {
                           std::string name(row.param.name);
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
                           return name;
                         });

TEST(PatternTable, HasNoNameTwice) {
  std::set<std::string_view> seen;
  for (const auto& row : detect::pattern_table()) EXPECT_TRUE(seen.insert(row.name).second) << row.name;
}

TEST(PatternTable, HasTheConfidencesOfItsTypes) {
  for (const auto& row : detect::pattern_table()) {
    const bool high = row.type == Type::yes_no || row.type == Type::confirm_enter || row.type == Type::pager;
    EXPECT_GE(row.confidence, high ? 0.75 : 0.70) << row.name;
    EXPECT_LE(row.confidence, 0.90) << row.name;
  }
}

TEST(Patterns, AUsersOwnComeFirst) {
  auto patterns = detect::Patterns::with({{Type::yes_no, "weiter\\? \\(j/n\\)", 0.9}});
  ASSERT_TRUE(patterns);
  const auto found = patterns->find("Wirklich weiter? (j/n) ");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().match.name, "detector.patterns[0]");
}

TEST(Patterns, AUsersOwnThatIsBrokenIsNamed) {
  const auto patterns = detect::Patterns::with({{Type::yes_no, "fine", 0.9}, {Type::yes_no, "(broken", 0.9}});
  ASSERT_FALSE(patterns);
  EXPECT_THAT(patterns.error().what, testing::HasSubstr("detector.patterns[1]"));
}

TEST(Patterns, ALineWithoutEndIsNoQuestion) {
  const detect::Patterns patterns;
  EXPECT_TRUE(patterns.find(std::string(1 << 20, 'y') + " (y/n) ").empty());
}

std::vector<std::string> keys(const detect::Options& options) {
  std::vector<std::string> out;
  for (const auto& each : options.choices) out.push_back(each.key);
  return out;
}

TEST(BracketedOptions, ACapitalIsWhatEnterGives) {
  const auto options = detect::bracketed_options("Do you want to continue? [Y/n] ");
  ASSERT_TRUE(options);
  EXPECT_THAT(keys(*options), ElementsAre("y", "n"));
  EXPECT_EQ(options->fallback, "y");
  EXPECT_TRUE(options->yes_no);
}

TEST(BracketedOptions, AnAnswerInBracketsIsWhatEnterGives) {
  const auto options = detect::bracketed_options("Proceed ([y]/n)? ");
  ASSERT_TRUE(options);
  EXPECT_THAT(keys(*options), testing::ElementsAre("y", "n"));
  EXPECT_EQ(options->fallback, "y");
}

TEST(BracketedOptions, BothSmallHaveNoDefault) {
  const auto options = detect::bracketed_options("Continue (y/n)? ");
  ASSERT_TRUE(options);
  EXPECT_FALSE(options->fallback);
}

TEST(BracketedOptions, SshWantsItsWordsInFull) {
  const auto options =
      detect::bracketed_options("Are you sure you want to continue connecting (yes/no/[fingerprint])? ");
  ASSERT_TRUE(options);
  EXPECT_THAT(keys(*options), ElementsAre("yes", "no", "fingerprint"));
  EXPECT_TRUE(options->yes_no);
}

TEST(BracketedOptions, GitsHunksHaveManyLetters) {
  const auto options = detect::bracketed_options("(1/2) Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]? ");
  ASSERT_TRUE(options);
  EXPECT_THAT(keys(*options), ElementsAre("y", "n", "q", "a", "d", "j", "J", "g", "/", "e", "?"));
  EXPECT_TRUE(options->yes_no);
}

TEST(BracketedOptions, YesAndNoMayStandTogether) {
  const auto options = detect::bracketed_options("Remove rake? [Yn] ");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->yes_no);
  EXPECT_EQ(options->fallback, "y");
  EXPECT_EQ(detect::bracketed_options("Remove rake? [yN] ")->fallback, "n");
  EXPECT_FALSE(detect::bracketed_options("Remove rake? [yn] ")->fallback);
}

TEST(SpeltAnswers, AreSentAsTheQuestionWantsThem) {
  EXPECT_EQ(detect::spelt_answers("Continue?")[0].send, "y");
  EXPECT_EQ(detect::spelt_answers("Type yes to go on: ")[0].send, "yes");
  EXPECT_EQ(detect::spelt_answers("Are you sure? (Type 'yes' in capital letters): ")[0].send, "YES");
  EXPECT_EQ(detect::spelt_answers("Type YES to go on: ")[1].send, "NO");
}

TEST(BracketedOptions, LettersMayStandInTheirWords) {
  const auto options = detect::bracketed_options("replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename: ");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->yes_no);
  ASSERT_EQ(options->choices.size(), 5U);
  EXPECT_EQ(options->choices[2].label, "All");
  EXPECT_EQ(options->choices[2].send, "A");
  EXPECT_TRUE(detect::bracketed_options("(R)etry, (A)bort or (I)gnore?"));
  EXPECT_FALSE(detect::bracketed_options("see the f[o]ur notes [a]bove:"));
}

TEST(BracketedOptions, ADefaultMayBeSpeltOut) {
  const auto options = detect::bracketed_options("Install it? (y/n) [n]: ");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->fallback, "n");
}

TEST(DefaultAnswer, IsFoundInItsForms) {
  EXPECT_EQ(detect::default_answer("version: (1.0.0) "), "1.0.0");
  EXPECT_EQ(detect::default_answer("Country Name (2 letter code) [AU]:"), "AU");
  EXPECT_EQ(detect::default_answer("Enter file in which to save the key (/home/a/.ssh/id): "),
            "/home/a/.ssh/id");
  EXPECT_EQ(detect::default_answer("Port (default: 8080): "), "8080");
  EXPECT_FALSE(detect::default_answer("Enter passphrase (empty for no passphrase): "));
  EXPECT_FALSE(detect::default_answer("Enter name (max 20 chars): "));
}

TEST(DefaultAnswer, MayBeAPath) {
  EXPECT_EQ(detect::default_answer("Login Shell [/usr/sbin/nologin]: "), "/usr/sbin/nologin");
  EXPECT_EQ(detect::default_answer("Mirror [http://example.org/a]: "), "http://example.org/a");
  EXPECT_FALSE(detect::default_answer("Keep it [keep/drop]: "));
}

TEST(LengthLimit, IsFoundInItsForms) {
  EXPECT_EQ(detect::length_limit("Enter name (max 20 chars): "), 20U);
  EXPECT_EQ(detect::length_limit("Title (at most 72 characters): "), 72U);
  EXPECT_EQ(detect::length_limit("Nick, 8 characters or less: "), 8U);
  EXPECT_FALSE(detect::length_limit("Enter 20 names: "));
}

}  // namespace
