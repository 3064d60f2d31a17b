// SPDX-License-Identifier: Apache-2.0
// Output Display and Event Parsing.
#include <gmock/gmock.h>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;
using support::wait_until;
using testing::HasSubstr;
using testing::Not;

class EitherMode : public LoopAcceptance, public testing::WithParamInterface<const char*> {};

// Given PTY mode is active (either interactive or observe), when the agent produces TUI output, then output
// is written to stdout in real-time.
TEST_P(EitherMode, TuiOutputIsWrittenToStdoutInRealTime) {
  uses("draws", {work_.file("go")});
  Person person(loop({GetParam(), "--idle-timeout", "0"}));
  // It is seen while the agent draws, for this one does not end before it was.
  ASSERT_TRUE(person.sees("thinking"));
  EXPECT_EQ(person.screen().showing(), vt::Which::alternate);
  EXPECT_TRUE(events("iteration.ended").empty());
  support::write_file(work_.file("go"), "");
  EXPECT_EQ(end_of(person), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, EitherMode, testing::Values("--pty", "--observe"),
                         [](const auto& mode) { return std::string(mode.param).substr(2); });

// Given PTY mode is active, when the agent shows spinner/progress animations, then animations render
// correctly (ANSI sequences preserved).
TEST_F(LoopAcceptance, SpinnerAnimationsRenderCorrectly) {
  uses("draws", {work_.file("go")});
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  for (const char* frame : {"|", "/", "-", "\\", "|"}) {
    EXPECT_TRUE(wait_until([&] { return vt::lines(person.screen())[4] == std::string("    ") + frame; }))
        << frame;
  }
  EXPECT_EQ(vt::lines(person.screen())[2], "    thinking");
  EXPECT_FALSE(person.screen().modes()[vt::Mode::cursor_visible]);
  EXPECT_THAT(person.terminal().output(), HasSubstr("\x1b[3;5H\x1b[1;36mthinking\x1b[0m"));
  EXPECT_THAT(person.terminal().output(), HasSubstr("\x1b[5;5H\x1b[33m/\x1b[0m"));
  support::write_file(work_.file("go"), "");
  EXPECT_EQ(end_of(person), 0);
}

// Given PTY mode produced output with ANSI sequences, when output is parsed for events, then ANSI sequences
// are stripped before parsing.
TEST_F(LoopAcceptance, AnsiSequencesAreStrippedBeforeEventsAreParsed) {
  agent(
      "printf '\\033[90m<event topic=\"build.done\">\\033[0m\\r\\nTask \\033[1mcompleted\\033[0m "
      "successfully\\r\\n\\033[90m</event>\\033[0m\\r\\nLOOP_COMPLETE\\r\\n'");
  Person person(loop({"--pty"}));
  EXPECT_EQ(end_of(person), 0);
  ASSERT_EQ(events("event").size(), 1U);
  EXPECT_EQ(text_of("event", "topic"), "build.done");
  EXPECT_THAT(text_of("event", "payload"), HasSubstr("Task completed successfully"));
  EXPECT_THAT(text(1), Not(HasSubstr("\x1b")));
}

// Given the completion promise appears in PTY output, when ANSI-stripped output is scanned, then the loop
// terminates successfully.
TEST_F(LoopAcceptance, CompletionPromiseInPtyOutputTerminatesTheLoopSuccessfully) {
  uses("ansi");
  Person person(loop({"--pty", "--max-iterations", "3"}));
  EXPECT_EQ(end_of(person), 0);
  EXPECT_EQ(text_of("ended", "why"), "promise kept");
  EXPECT_EQ(number_of("ended", "iterations"), 1);
}

TEST_F(LoopAcceptance, APromiseThatIsOnlyMentionedIsNotMade) {
  uses("mentions-promise");
  Person person(loop({"--pty", "--max-iterations", "2"}));
  EXPECT_EQ(end_of(person), 5);
  EXPECT_EQ(text_of("ended", "why"), "iterations used up");
}

// The design's letter is there for who wants it.
TEST_F(LoopAcceptance, APromiseThatIsOnlyMentionedCountsWhereItMayStandAnywhere) {
  uses("mentions-promise", {}, "event_loop: {promise_match: anywhere}");
  Person person(loop({"--pty", "--max-iterations", "2"}));
  EXPECT_EQ(end_of(person), 0);
}

TEST_F(LoopAcceptance, APromiseKeptInTheLastIterationIsASuccess) {
  uses("keeps-on-last", {work_.file("runs"), "3"});
  Person person(loop({"--pty", "--max-iterations", "3"}));
  EXPECT_EQ(end_of(person), 0);
  EXPECT_EQ(number_of("ended", "iterations"), 3);
}

}  // namespace
}  // namespace acceptance
