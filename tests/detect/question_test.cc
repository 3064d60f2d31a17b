// SPDX-License-Identifier: Apache-2.0
#include "detect/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using detect::Evidence;
using detect::Reading;
using detect::Type;
using detect::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;

struct Setting {
  Evidence evidence{.verdict = Verdict::waits};
  vt::Size size{80, 24};
};

Reading read(std::string_view output, const Setting& setting = {}) {
  static const detect::Patterns patterns;
  vt::Screen screen(setting.size);
  screen.feed(output);
  return detect::read_question(detect::View::of(screen, {}), setting.evidence, patterns);
}

std::vector<std::string> labels(const Reading& reading) {
  std::vector<std::string> out;
  for (const auto& each : reading.prompt.choices) out.push_back(each.label);
  return out;
}
std::vector<std::string> sends(const Reading& reading) {
  std::vector<std::string> out;
  for (const auto& each : reading.prompt.choices) out.push_back(each.send);
  return out;
}

TEST(Question, StandsAtTheCursor) {
  const Reading reading = read("Reading package lists... Done\r\nDo you want to continue? [Y/n] ");
  EXPECT_TRUE(reading.asks);
  EXPECT_EQ(reading.prompt.type, Type::yes_no);
  EXPECT_EQ(reading.prompt.question, "Do you want to continue? [Y/n]");
  EXPECT_EQ(reading.prompt.fallback, "y");
  EXPECT_THAT(labels(reading), ElementsAre("Yes", "No"));
  EXPECT_DOUBLE_EQ(reading.prompt.confidence, 0.90);
}

TEST(Question, ThatScrolledPastAsksNothing) {
  const Reading reading = read("Do you want to continue? [Y/n] \r\nGet:1 libfoo\r\nGet:2 libbar\r\n");
  EXPECT_FALSE(reading.asks);
}

TEST(Question, ThatWasOverwrittenIsTheNewOne) {
  const Reading reading = read("Overwrite a.txt? (y/n) \r\x1b[KEnter your name: ");
  EXPECT_EQ(reading.prompt.type, Type::free_text);
  EXPECT_EQ(reading.prompt.question, "Enter your name:");
}

TEST(Question, MayStandInTheLineAboveTheCursor) {
  EXPECT_EQ(read("Press Enter to continue\r\n").prompt.type, Type::confirm_enter);
  const Reading sign = read("Overwrite? (y/n)\r\n> ");
  EXPECT_EQ(sign.prompt.type, Type::yes_no);
}

TEST(Question, ThatWasWrappedIsOneLine) {
  const Reading reading =
      read("Do you really want to remove everything below the folder 'build'? [y/N] ", {.size = {20, 6}});
  EXPECT_EQ(reading.prompt.question,
            "Do you really want to remove everything below the folder 'build'? [y/N]");
  EXPECT_EQ(reading.prompt.fallback, "n");
}

TEST(Question, InTheMiddleOfATextIsNoQuestion) {
  EXPECT_FALSE(read("usage: rm [-i]\r\n  -i   prompt before removal (y/n)\r\n  -f   do not\r\n").asks);
  EXPECT_FALSE(read("Do you want to continue? [Y/n] \x1b[5D").asks);
}

TEST(Question, WithFurtherMatchesIsMoreCertain) {
  const Reading reading = read("Are you sure? Press y to go on (y/n) ");
  EXPECT_GT(reading.prompt.confidence, 0.90);
  EXPECT_LE(reading.prompt.confidence, 0.95);
}

TEST(Question, AListOfNumbersAsksWithALineBehindIt) {
  const Reading reading = read("1) apple\r\n2) banana\r\n3) cherry\r\nEnter choice [1-3]: ");
  EXPECT_EQ(reading.prompt.type, Type::multiple_choice);
  EXPECT_THAT(labels(reading), ElementsAre("apple", "banana", "cherry"));
  EXPECT_THAT(sends(reading), ElementsAre("1", "2", "3"));
  EXPECT_TRUE(reading.prompt.enter);
}

TEST(Question, AListOfNumbersInProseAsksNothing) {
  EXPECT_FALSE(read("There are two ways:\r\n1. Compile it\r\n2. Install it\r\n\r\nDone.\r\n").asks);
  EXPECT_FALSE(read("1. Compile it\r\n2. Install it\r\n").asks);
}

TEST(Question, ShellsSelectHasItsChoices) {
  const Reading reading = read("1) red\r\n2) green\r\n#? ");
  EXPECT_EQ(reading.prompt.type, Type::multiple_choice);
  EXPECT_THAT(labels(reading), ElementsAre("red", "green"));
}

TEST(Question, LettersAreKeysToo) {
  const Reading reading = read("a) keep\r\nb) replace\r\nc) quit\r\nYour choice: ");
  EXPECT_THAT(labels(reading), ElementsAre("keep", "replace", "quit"));
}

TEST(Question, AListWithAPointerIsChosenWithArrows) {
  const Reading reading =
      read("? Pick a fruit\r\n  Apple\r\n❯ Banana\r\n  Cherry\r\n",
           {.evidence = {.verdict = Verdict::may_wait, .canonical = false, .echo = false}});
  EXPECT_EQ(reading.prompt.type, Type::multiple_choice);
  EXPECT_EQ(reading.prompt.question, "? Pick a fruit");
  EXPECT_THAT(labels(reading), ElementsAre("Apple", "Banana", "Cherry"));
  EXPECT_THAT(sends(reading), ElementsAre("\x1b[A", "", "\x1b[B"));
  EXPECT_EQ(reading.prompt.fallback, "Banana");
}

// fzf counts what it found in a line at the end of its list, in the column of the entries.
TEST(Question, ALineDrawnAcrossIsNoEntry) {
  const std::string rule = "  3/3 ──────────────────\r\n";
  const Reading bottom = read("  Cherry\r\n  Banana\r\n> Apple\r\n" + rule + "> ");
  EXPECT_THAT(labels(bottom), ElementsAre("Cherry", "Banana", "Apple"));
  EXPECT_THAT(sends(bottom), ElementsAre("\x1b[A\x1b[A", "\x1b[A", ""));
  const Reading typed = read("  Cherry\r\n  Banana\r\n> Apple\r\n" + rule + "> a");
  EXPECT_THAT(labels(typed), ElementsAre("Cherry", "Banana", "Apple"));
  // Arrows go past what divides a list.
  const Reading divided =
      read("? Pick\r\n❯ Apple\r\n  ──────────\r\n  Banana\r\n  ----------\r\n  Cherry\r\n");
  EXPECT_THAT(labels(divided), ElementsAre("Apple", "Banana", "Cherry"));
  EXPECT_THAT(sends(divided), ElementsAre("", "\x1b[B", "\x1b[B\x1b[B"));
}

TEST(Question, AListInABoxHasItsNumbers) {
  const Reading reading = read(
      "╭──────────────────────────────╮\r\n"
      "│ Do you want to proceed?      │\r\n"
      "│ ❯ 1. Yes                     │\r\n"
      "│   2. Yes, and don't ask      │\r\n"
      "│   3. No, tell it what to do  │\r\n"
      "╰──────────────────────────────╯\r\n");
  EXPECT_EQ(reading.prompt.question, "Do you want to proceed?");
  EXPECT_THAT(labels(reading), ElementsAre("Yes", "Yes, and don't ask", "No, tell it what to do"));
  EXPECT_EQ(reading.prompt.choices[2].key, "3");
}

TEST(Question, EntriesMayHaveExplanations) {
  const Reading reading = read(
      "Sign in\r\n\r\n> 1. With an account\r\n     Costs nothing more\r\n\r\n  2. With a key\r\n     Pay for "
      "what you use\r\n\r\n"
      "  Press Enter to continue\r\n");
  EXPECT_THAT(labels(reading), ElementsAre("With an account", "With a key"));
}

TEST(Question, ABulletInALogIsNoPointer) {
  EXPECT_FALSE(read("> quoted\r\nand an answer\r\n$ ").asks);
  EXPECT_FALSE(read("* main\r\n  develop\r\n$ ").asks);
}

TEST(Question, APasswordIsSecret) {
  const Reading reading = read("[sudo] password for ada: ");
  EXPECT_EQ(reading.prompt.type, Type::free_text);
  EXPECT_TRUE(reading.prompt.secret);
}

TEST(Question, OneKeyNeedsNoEnter) {
  EXPECT_FALSE(read("Press any key to continue",
                    {.evidence = {.verdict = Verdict::waits, .canonical = false, .echo = false}})
                   .prompt.enter);
  EXPECT_FALSE(
      read("Continue? (y/n) ", {.evidence = {.verdict = Verdict::waits, .canonical = false}}).prompt.enter);
  EXPECT_TRUE(read("Continue? (y/n) ").prompt.enter);
}

TEST(Question, OptionsWithoutACapitalHaveNoDefault) {
  EXPECT_FALSE(read("Continue? (y/n) ").prompt.fallback);
  EXPECT_EQ(read("Is this OK? (yes) ").prompt.fallback, "yes");
}

TEST(Question, HasALimitAndADefault) {
  const Reading reading = read("Enter name (max 20 chars): ");
  EXPECT_EQ(reading.prompt.type, Type::free_text);
  EXPECT_EQ(reading.prompt.limit, 20U);
  EXPECT_EQ(read("version: (1.0.0) ").prompt.fallback, "1.0.0");
}

TEST(Question, APagerIsKnownByItsLastRow) {
  const Setting raw{
      .evidence = {.verdict = Verdict::waits, .canonical = false, .echo = false, .command = "less"},
      .size = {40, 4}};
  EXPECT_EQ(read("a\r\nb\r\nc\r\n:", raw).prompt.type, Type::pager);
  EXPECT_EQ(read("a\r\nb\r\nc\r\n\x1b[7m(END)\x1b[m", raw).prompt.type, Type::pager);
  EXPECT_EQ(read("a\r\nb\r\nc\r\n\x1b[7m/etc/services\x1b[m", raw).prompt.type, Type::pager);
}

TEST(Question, AnEditorsTextAsksNothing) {
  Setting vim{.evidence = {.verdict = Verdict::may_wait, .canonical = false, .echo = false, .command = "vim"},
              .size = {60, 5}};
  EXPECT_FALSE(read("\x1b[?1049h\x1b[HDo you want to continue? [Y/n] \x1b[1;31H", vim).asks);
  EXPECT_TRUE(read("\x1b[?1049h\x1b[5;1HPress ENTER or type command to continue", vim).asks);
}

TEST(Question, AnEditorMayAskInABarAboveItsKeys) {
  Setting nano{.evidence = {.verdict = Verdict::waits, .canonical = false, .echo = false, .command = "nano"},
               .size = {60, 5}};
  const Reading bar = read(
      "\x1b[?1049h\x1b[3;1H\x1b[7mSave modified buffer?    \x1b[m\x1b[4;1H Y Yes\x1b[5;1H N No\x1b[3;23H",
      nano);
  EXPECT_TRUE(bar.asks);
  EXPECT_EQ(bar.prompt.type, Type::yes_no);
  EXPECT_FALSE(bar.prompt.enter);
  EXPECT_FALSE(
      read("\x1b[?1049h\x1b[3;1HSave modified buffer?\x1b[4;1H^G Help\x1b[5;1H^X Exit\x1b[3;23H", nano).asks);
}

TEST(Question, AFieldInABoxIsAskedByTheTextAboveIt) {
  Setting raw{
      .evidence = {.verdict = Verdict::waits, .canonical = false, .echo = false, .command = "whiptail"},
      .size = {40, 8}};
  const Reading reading = read(
      "\x1b[2;5H│ Root password:          │\x1b[3;5H│ abc____________________ │\x1b[5;5H│   <Ok>     "
      "<Cancel>     "
      "│\x1b[3;10H",
      raw);
  EXPECT_EQ(reading.prompt.type, Type::free_text);
  EXPECT_EQ(reading.prompt.question, "Root password:");
  EXPECT_EQ(reading.prompt.fallback, "abc");
  EXPECT_TRUE(reading.prompt.secret);
}

TEST(Question, ThatNoPatternKnowsHasItsDefaultToo) {
  const Reading reading = read("Database host [localhost]: ");
  EXPECT_FALSE(reading.asks);
  EXPECT_TRUE(reading.ends_open);
  EXPECT_EQ(reading.prompt.fallback, "localhost");
}

TEST(Question, InALineOfTheWholeScreenTakesOneKey) {
  Setting raw{
      .evidence = {.verdict = Verdict::may_wait, .canonical = false, .echo = false, .command = "mutt"}};
  const Reading reading = read("\x1b[?1049h\x1b[24;1HCreate it? ([yes]/no): ", raw);
  EXPECT_EQ(reading.prompt.type, Type::yes_no);
  EXPECT_FALSE(reading.prompt.enter);
  EXPECT_TRUE(read("Create it? ([yes]/no): ", raw).prompt.enter);
}

TEST(Question, MayEndWithDots) {
  EXPECT_TRUE(read("rm a b?...").ends_open);
  EXPECT_FALSE(read("Loading...").ends_open);
  EXPECT_FALSE(read("Loading: a...").ends_open);
}

TEST(Question, WithItsDefaultBehindItIsToAgreeTo) {
  const Reading reading = read("Would you like to configure it automatically? [yes] ");
  EXPECT_EQ(reading.prompt.type, Type::yes_no);
  EXPECT_EQ(reading.prompt.fallback, "yes");
}

TEST(Question, ABoxOverPanelsAsksWhereTheCursorIsAtItsButton) {
  Setting mc{.evidence = {.verdict = Verdict::may_wait, .canonical = false, .echo = false, .command = "mc"},
             .size = {40, 24}};
  std::string box = "\x1b[?1049h\x1b[2;5H│ Delete file \"aaa\"? │\x1b[4;5H│  [ Yes ] [ No ]    │";
  for (int row = 10; row < 24; row++) box += "\x1b[" + std::to_string(row) + ";1Hfile";
  EXPECT_EQ(read(box + "\x1b[4;10H", mc).prompt.type, Type::yes_no);
  EXPECT_FALSE(read(box + "\x1b[1;1H", mc).asks);
}

TEST(Question, MayHaveAnAnswerBehindItThatCanBeChanged) {
  Setting editor{
      .evidence = {.verdict = Verdict::waits, .canonical = false, .echo = false, .command = "zsh"}};
  const Reading reading = read("Branch name: main", editor);
  EXPECT_TRUE(reading.asks);
  EXPECT_EQ(reading.prompt.type, Type::free_text);
  EXPECT_EQ(reading.prompt.question, "Branch name:");
  EXPECT_EQ(reading.prompt.fallback, "main");
  EXPECT_FALSE(read("12:00:01 note: all is well", editor).asks);
  EXPECT_FALSE(read("Branch name: main").asks);
}

TEST(Question, OnTheScreenOfAnotherStandsAtTheCursor) {
  Setting tmux{
      .evidence = {
          .verdict = Verdict::unknown, .canonical = false, .echo = false, .command = "tmux: client"}};
  EXPECT_TRUE(read("\x1b[?1049h\x1b[HContinue? (y/n) ", tmux).asks);
  EXPECT_FALSE(read("\x1b[?1049h\x1b[HContinue? (y/n)\r\n\r\n", tmux).asks);
}

TEST(Question, LettersWithYesAndNoAmongThemAreOptions) {
  const Reading reading = read("*** demo.conf (Y/I/N/O/D/Z) [default=N] ? ");
  EXPECT_TRUE(reading.asks);
  EXPECT_EQ(reading.prompt.type, Type::yes_no);
  EXPECT_THAT(labels(reading), ElementsAre("Yes", "I", "No", "O", "D", "Z"));
  EXPECT_EQ(reading.prompt.fallback, "n");
}

TEST(Question, WhatWasAnsweredAsksNothing) {
  static const detect::Patterns patterns;
  vt::Screen screen({80, 24});
  screen.feed("Press Enter to continue\r\n");
  const auto view = detect::View::of(screen, {});
  EXPECT_FALSE(detect::read_question(view, {.verdict = Verdict::waits}, patterns, 0).asks);
}

TEST(Question, OfTwoThatWerePrintedTheFirstIsAskedFirst) {
  const Reading reading = read("Delete a? (y/n) \r\nDelete b? (y/n) ");
  EXPECT_EQ(reading.prompt.question, "Delete a? (y/n)");
  ASSERT_EQ(reading.later.size(), 1U);
  EXPECT_EQ(reading.later[0].question, "Delete b? (y/n)");
}

TEST(Question, AFileOfQuestionsAsksOnlyWithItsLastLine) {
  const Reading reading = read("A? (y/n)\r\nB? (y/n)\r\nC? (y/n)\r\nD? (y/n)\r\nGo on? (y/n) ");
  EXPECT_EQ(reading.prompt.question, "Go on? (y/n)");
  EXPECT_THAT(reading.later, IsEmpty());
}

TEST(Question, ButtonsOfABoxAreChoices) {
  const Reading reading = read(
      "\x1b[?1049h\x1b[3;10H┌───────────────┐\x1b[4;10H│ Delete it all? │\x1b[5;10H│  \x1b[7m<Yes>\x1b[m   "
      "<No>  │\x1b[6;10H└───────────────┘",
      {.evidence = {.verdict = Verdict::waits, .canonical = false, .echo = false, .command = "whiptail"}});
  EXPECT_EQ(reading.prompt.type, Type::yes_no);
  EXPECT_EQ(reading.prompt.question, "Delete it all?");
  EXPECT_THAT(labels(reading), ElementsAre("Yes", "No"));
  EXPECT_THAT(sends(reading), ElementsAre("", "\x1b[C"));
}

TEST(Question, TheHorizonBoundsWhatIsRead) {
  static const detect::Patterns patterns;
  vt::Screen screen({80, 24});
  for (int i = 0; i < 5000; i++) screen.feed("a line of a log\r\n");
  const auto view = detect::View::of(screen, {.lines = 200, .bytes = 1000});
  size_t bytes = 0;
  for (const auto& line : view.lines) bytes += line.text.size();
  EXPECT_LE(bytes, 1000U);
  EXPECT_LE(view.lines.size(), 201U);
}

}  // namespace
