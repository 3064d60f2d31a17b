// SPDX-License-Identifier: Apache-2.0
#include "loop/promise.h"

#include <gtest/gtest.h>

namespace {

using config::PromiseMatch;
using loop::bare_line;
using loop::Promise;

bool made(const std::vector<std::string>& lines, std::string_view prompt = "fix it",
          PromiseMatch match = PromiseMatch::line) {
  Promise promise("LOOP_COMPLETE", match, prompt);
  for (const auto& line : lines) promise.line(line, false);
  return promise.made();
}

TEST(BareLine, IsWithoutBulletsBordersAndBlanks) {
  for (const std::string_view line :
       {"DONE", "  DONE  ", "● DONE", "⏺ DONE", "• DONE", "- DONE", "* DONE", "│ DONE │", "┃  DONE ┃",
        "| DONE |", "║ DONE ║", "│ ● DONE         │", "╭─ DONE ─╮", "└ DONE", "\tDONE\r", "\xC2\xA0 DONE"})
    EXPECT_EQ(bare_line(line), "DONE") << line;
  EXPECT_EQ(bare_line("╭────────╮"), "");
  EXPECT_EQ(bare_line(""), "");
  EXPECT_EQ(bare_line("● a - b │ c"), "a - b │ c");
  EXPECT_EQ(bare_line("- a -"), "a -");
  EXPECT_EQ(bare_line("日本"), "日本");
  EXPECT_EQ(bare_line("\xFF\xE2\x94"), "\xFF\xE2\x94");
}

TEST(Promise, CountsAloneOnItsLine) {
  EXPECT_TRUE(made({"LOOP_COMPLETE"}));
  EXPECT_TRUE(made({"● LOOP_COMPLETE"}));
  EXPECT_TRUE(made({"⏺ LOOP_COMPLETE", "> "}));
  EXPECT_TRUE(made({"│   LOOP_COMPLETE                │"}));
  EXPECT_TRUE(made({"all is done.", "", "- LOOP_COMPLETE", "bye"}));
}

TEST(Promise, IsNotMadeByAMention) {
  EXPECT_FALSE(made({"I will print LOOP_COMPLETE when I am done"}));
  EXPECT_FALSE(made({"LOOP_COMPLETE will follow"}));
  EXPECT_FALSE(made({"\"LOOP_COMPLETE\""}));
  EXPECT_FALSE(made({"> LOOP_COMPLETE"}));
  EXPECT_FALSE(made({"NOT_LOOP_COMPLETE", "LOOP_COMPLETED", "loop_complete", ""}));
}

TEST(Promise, IsNotMadeInsideAnEventTag) {
  Promise promise("LOOP_COMPLETE", PromiseMatch::line, "");
  promise.line("LOOP_COMPLETE", true);
  EXPECT_FALSE(promise.made());
  promise.line("LOOP_COMPLETE", false);
  EXPECT_TRUE(promise.made());
}

constexpr std::string_view kPrompt =
    "Fix the parser, and run every test that there is.\n"
    "When all of them pass and nothing is left to do, print this line:\n"
    "\n"
    "    LOOP_COMPLETE\n"
    "\n"
    "and stop.\n";

TEST(Promise, IsNotMadeByTheEchoOfThePrompt) {
  const std::vector<std::string> echo = {
      "> Fix the parser, and run every test that there is.",
      "  When all of them pass and nothing is left to do, print this line:",
      "",
      "      LOOP_COMPLETE",
      "",
      "  and stop."};
  EXPECT_FALSE(made(echo, kPrompt));
  std::vector<std::string> answered = echo;
  answered.insert(answered.end(), {"● All pass.", "", "● LOOP_COMPLETE"});
  EXPECT_TRUE(made(answered, kPrompt));
}

TEST(Promise, IsKnownInAnEchoThatWasWrapped) {
  EXPECT_FALSE(made({"│ > Fix the parser, and run every test │", "│   that there is.                     │",
                     "│   When all of them pass and nothing  │", "│   is left to do, print this line:    │",
                     "│                                      │", "│       LOOP_COMPLETE                  │"},
                    kPrompt));
}

TEST(Promise, IsKnownInAnEchoOfWhichOnlyAPartIsDrawnAgain) {
  EXPECT_FALSE(
      made({"When all of them pass and nothing is left to do, print this line:", "LOOP_COMPLETE"}, kPrompt));
  EXPECT_FALSE(made({"nothing is left to do, print this line:", "LOOP_COMPLETE"}, kPrompt));
}

TEST(Promise, MayFollowWordsThatThePromptHasToo) {
  EXPECT_TRUE(made({"print this line:", "LOOP_COMPLETE"}, kPrompt));
  EXPECT_TRUE(made({"done", "LOOP_COMPLETE"}, "Go on until all of it is done\nLOOP_COMPLETE"));
  EXPECT_TRUE(
      made({"```", "LOOP_COMPLETE", "```"}, "Print at the end of your work:\n```\nLOOP_COMPLETE\n```"));
}

TEST(Promise, EchoesAsOftenAsThePromptIsDrawn) {
  EXPECT_FALSE(made({"say", "LOOP_COMPLETE", "say", "LOOP_COMPLETE"}, "say\nLOOP_COMPLETE"));
  EXPECT_TRUE(made({"say", "LOOP_COMPLETE", "LOOP_COMPLETE"}, "say\nLOOP_COMPLETE"));
}

TEST(Promise, AtTheBeginningOfThePromptIsEchoedOnce) {
  EXPECT_FALSE(made({"  LOOP_COMPLETE", "is what you say"}, "LOOP_COMPLETE\nis what you say"));
  EXPECT_TRUE(
      made({"  LOOP_COMPLETE", "is what you say", "● LOOP_COMPLETE"}, "LOOP_COMPLETE\nis what you say"));
}

TEST(Promise, AnywhereIsTheLettersAlone) {
  EXPECT_TRUE(made({"it is LOOP_COMPLETE, I think"}, "", PromiseMatch::anywhere));
  EXPECT_TRUE(made({"say", "LOOP_COMPLETE"}, "say\nLOOP_COMPLETE", PromiseMatch::anywhere));
  EXPECT_FALSE(made({"LOOP_", "COMPLETE"}, "", PromiseMatch::anywhere));
}

TEST(Promise, MayHaveBlanksAndStars) {
  Promise words("All tasks done", PromiseMatch::line, "");
  words.line("● All tasks done", false);
  EXPECT_TRUE(words.made());
  Promise stars("**DONE**", PromiseMatch::line, "");
  stars.line("  **DONE**", false);
  EXPECT_TRUE(stars.made());
  Promise dashes("---", PromiseMatch::line, "");
  dashes.line("│", false);
  EXPECT_FALSE(dashes.made());
  dashes.line("---", false);
  EXPECT_TRUE(dashes.made());
}

TEST(Promise, OfNothingIsNeverMade) {
  for (const auto match : {PromiseMatch::line, PromiseMatch::anywhere}) {
    Promise promise("", match, "");
    promise.line("", false);
    promise.line("text", false);
    EXPECT_FALSE(promise.made());
  }
}

}  // namespace
