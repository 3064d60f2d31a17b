// SPDX-License-Identifier: Apache-2.0
// Graceful Termination.
#include <gmock/gmock.h>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;
using std::chrono::seconds;
using testing::HasSubstr;

class Ending : public LoopAcceptance {
 protected:
  // Five seconds after SIGTERM, and not before.
  void expect_killed_after_the_grace() const {
    ASSERT_EQ(heard("SIGTERM").size(), 1U);
    const auto ended = events("iteration.ended");
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_GE(time_of(ended[0]) - heard("SIGTERM")[0].at, seconds(5) - std::chrono::milliseconds(50));
    EXPECT_EQ(number_of("iteration.ended", "signal"), 9);
    EXPECT_FALSE(living(heard("start")[0].pid));
  }
};

// Given SIGTERM was sent (via timeout or Ctrl+C), when 5 seconds pass without process exit, then SIGKILL is
// sent to force termination.
TEST_F(Ending, FiveSecondsAfterSigtermViaCtrlCSigkillIsSent) {
  uses_listener({"--stubborn"});
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(person.sees("ready"));
  person.type("\x03\x03");
  EXPECT_EQ(end_of(person), 130);
  expect_killed_after_the_grace();
  expect_restored(person);
}

TEST_F(Ending, FiveSecondsAfterSigtermViaTimeoutSigkillIsSent) {
  uses_listener({"--stubborn"});
  // Long enough for the agent to start on a busy machine.
  Person person(loop({"--pty", "--idle-timeout", "4", "--max-iterations", "1"}));
  EXPECT_EQ(end_of(person), 5);
  expect_killed_after_the_grace();
  EXPECT_EQ(text_of("iteration.ended", "how"), "idle");
}

// Who has no patience for that presses Ctrl+\ .
TEST_F(Ending, CtrlBackslashCutsTheGraceShort) {
  uses_listener({"--stubborn"});
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(person.sees("ready"));
  person.type("\x03\x03");
  ASSERT_TRUE(hears("SIGTERM"));
  person.type("\x1c");
  EXPECT_EQ(end_of(person), 130);
  EXPECT_LT(time_of(events("iteration.ended")[0]) - heard("SIGTERM")[0].at, seconds(5));
}

// Given the agent exits naturally, when the process terminates with any exit code, then no signals are sent,
// the iteration proceeds with accumulated output.
TEST_F(Ending, ANaturalExitWithAnyCodeSendsNoSignals) {
  uses_listener();
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  const char* const keys[] = {"3", "0", "q"};
  for (size_t i = 0; i < 3; i++) {
    ASSERT_TRUE(hears("out", i + 1));
    person.type(keys[i]);
  }
  EXPECT_EQ(end_of(person), 0);
  for (const Heard& each : heard()) EXPECT_FALSE(each.what.starts_with("SIG")) << each.what;
  const auto ended = events("iteration.ended");
  ASSERT_EQ(ended.size(), 3U);
  EXPECT_EQ(wire::integer(ended[0], "exit_code"), 3);
  EXPECT_EQ(wire::integer(ended[1], "exit_code"), 0);
  for (const auto& each : ended) EXPECT_EQ(wire::text(each, "how"), "exit");
  EXPECT_THAT(text(1), HasSubstr("ends with 3"));
  EXPECT_THAT(text(2), HasSubstr("ends with 0"));
  EXPECT_EQ(text_of("ended", "why"), "promise kept");
}

TEST_F(Ending, CrashesAreFailuresAndTooManyEndTheLoop) {
  uses("crashes", {}, "event_loop: {max_consecutive_failures: 2}");
  Person person(loop({"--pty"}));
  EXPECT_EQ(end_of(person), 1);
  EXPECT_EQ(text_of("ended", "why"), "too many failures");
  EXPECT_EQ(number_of("iteration.ended", "signal"), 11);
}

TEST_F(Ending, AnAgentThatExitsAtOnceIsNotMissed) {
  uses("exits-at-once", {"0"});
  Person person(loop({"--pty", "--max-iterations", "10"}));
  EXPECT_EQ(end_of(person), 5);
  EXPECT_EQ(events("iteration.ended").size(), 10U);
}

TEST_F(Ending, ChildrenWithSessionsOfTheirOwnDoNotSurviveTheIteration) {
  uses("forks-setsid", {work_.file("pids")});
  Person person(loop({"--pty", "--max-iterations", "1"}));
  EXPECT_EQ(end_of(person), 5);
  EXPECT_FALSE(living(std::stoi(read_work("pids"))));
}

}  // namespace
}  // namespace acceptance
