// SPDX-License-Identifier: Apache-2.0
// What tend adds: questions that wait, checks of the promise, usage limits.
#include <gmock/gmock.h>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;
using std::chrono::seconds;
using testing::HasSubstr;

TEST_F(LoopAcceptance, AQuestionThatWaitsHoldsTheIdleTimerUntilItIsAnswered) {
  uses("asks");
  Person person(loop({"--pty", "--idle-timeout", "1", "--max-iterations", "1"}));
  ASSERT_TRUE(comes("prompt"));
  EXPECT_THAT(text_of("prompt", "question"), HasSubstr("Shall I go on?"));
  // Several times what an agent that asks nothing is given.
  wait_for(time_of(events("prompt")[0]) + seconds(3));
  EXPECT_TRUE(events("idle").empty());
  EXPECT_TRUE(events("iteration.ended").empty());
  person.type("y\r");
  EXPECT_EQ(end_of(person), 0);
}

TEST_F(LoopAcceptance, AQuestionIsAnsweredFromElsewhereWhileTheTerminalOnlyWatches) {
  uses("asks");
  Person person(loop({"--observe", "--idle-timeout", "1", "--max-iterations", "1"}));
  ASSERT_TRUE(comes("prompt"));
  ASSERT_EQ(0, says("send " + newest()["name"].string() + " --enter y").code);
  EXPECT_EQ(end_of(person), 0);
}

TEST_F(LoopAcceptance, APromiseIsBelievedWhenTheCheckSucceeds) {
  uses("keeps-on-last", {work_.file("runs"), "1"},
       "event_loop: {verify: 'echo the check ran; [ -e passed ] || { touch passed; exit 3; }'}");
  Person person(loop({"--pty", "--max-iterations", "5"}));
  EXPECT_EQ(end_of(person), 0);
  const auto checks = events("verify");
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(wire::integer(checks[0], "exit_code"), 3);
  EXPECT_EQ(wire::integer(checks[1], "exit_code"), 0);
  EXPECT_THAT(text(2), HasSubstr("the check ran")) << "the agent was told";
}

TEST_F(LoopAcceptance, AUsageLimitIsWaitedForWithoutSpendingAnIteration) {
  uses("usage-limit", {work_.file("limited"), "3"});
  support::Start start = loop({"--pty", "--max-iterations", "1"});
  // Its words are Claude's.
  start.argv.insert(start.argv.begin() + 1, {"--set", "cli.backend=claude"});
  Person person(start);
  EXPECT_EQ(end_of(person), 0);
  ASSERT_EQ(events("limit").size(), 1U);
  EXPECT_EQ(number_of("ended", "iterations"), 1);
  const auto starts = events("iteration.started");
  ASSERT_EQ(starts.size(), 2U);
  const auto limit = events("limit")[0];
  EXPECT_EQ(wire::integer(starts[1], "iteration"), 1);
  // Whole seconds, as it was said.
  EXPECT_GE(time_of(starts[1]) - time_of(limit), seconds(1));
}

TEST_F(LoopAcceptance, OneCtrlCEndsTheWaitForAUsageLimit) {
  uses("usage-limit", {work_.file("limited"), "1000"});
  support::Start start = loop({"--pty"});
  start.argv.insert(start.argv.begin() + 1, {"--set", "cli.backend=claude"});
  Person person(start);
  ASSERT_TRUE(is_in_state("waiting for the limit"));
  person.type("\x03");
  EXPECT_EQ(end_of(person), 130);
  expect_restored(person);
}

}  // namespace
}  // namespace acceptance
