// SPDX-License-Identifier: Apache-2.0
// Input Routing, interactive and observe, by real keys.
#include <gmock/gmock.h>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::wait_until;
using testing::HasSubstr;

constexpr const char* kCtrlC = "\x03";
constexpr const char* kCtrlBackslash = "\x1c";

class AtAListener : public LoopAcceptance {
 protected:
  // At its keys.
  std::unique_ptr<Person> starts(std::vector<std::string> options = {"--pty", "--idle-timeout", "0"}) {
    uses_listener();
    auto person = std::make_unique<Person>(loop(std::move(options)));
    EXPECT_TRUE(person->sees("ready"));
    return person;
  }
};

// Given interactive PTY mode is active, when the user presses a regular key (e.g., 'y', Enter), then the key
// is forwarded to the agent's PTY stdin.
TEST_F(AtAListener, ARegularKeyIsForwardedToTheAgentsPtyStdin) {
  const auto person = starts();
  person->type("y");
  EXPECT_TRUE(hears("key y"));
  person->type("\r");
  EXPECT_TRUE(wait_until([&] { return read_work("heard").find("key \n") != std::string::npos; }));
  person->type("q");
  EXPECT_EQ(end_of(*person), 0);
}

TEST_F(LoopAcceptance, AnAgentThatAsksIsAnsweredWithKeys) {
  uses("asks");
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(person.sees("Shall I go on?"));
  person.type("y\r");
  EXPECT_EQ(end_of(person), 0);
  EXPECT_THAT(text(1), HasSubstr("answer: y"));
}

// Given interactive PTY mode is active, when the user presses Ctrl+C once, then Ctrl+C is forwarded to the
// agent AND the 1-second window starts.
TEST_F(AtAListener, CtrlCOnceIsForwardedToTheAgent) {
  const auto person = starts();
  person->type(kCtrlC);
  ASSERT_TRUE(hears("SIGINT"));
  // The loop goes on, and the same agent with it.
  person->type("x");
  EXPECT_TRUE(hears("key x"));
  EXPECT_TRUE(events("iteration.ended").empty());
  person->type("q");
  EXPECT_EQ(end_of(*person), 0);
  EXPECT_EQ(heard("SIGINT").size(), 1U);
  EXPECT_TRUE(heard("SIGTERM").empty());
}

// Given interactive PTY mode is active and the Ctrl+C window is open, when the user presses Ctrl+C again
// within 1 second, then SIGTERM is sent to the agent (second Ctrl+C NOT forwarded).
TEST_F(AtAListener, CtrlCAgainWithinOneSecondSendsSigtermAndIsNotForwarded) {
  const auto person = starts();
  // Both in one write: they are never further apart, however slow the machine is.
  person->type("\x03\x03");
  EXPECT_EQ(end_of(*person), 130);
  EXPECT_EQ(heard("SIGTERM").size(), 1U);
  EXPECT_EQ(heard("SIGINT").size(), 1U) << "the second one is not the agent's";
  EXPECT_TRUE(heard("SIGQUIT").empty());
  EXPECT_EQ(text_of("iteration.ended", "how"), "interrupted");
  EXPECT_EQ(text_of("ended", "why"), "interrupted");
  EXPECT_THAT(person->terminal().output(), HasSubstr("interrupted"));
  EXPECT_FALSE(living(heard("start")[0].pid));
  expect_restored(*person);
  EXPECT_TRUE(no_keeper_is_left());
}

// As fingers do it: the second one when the first has arrived.
TEST_F(AtAListener, CtrlCAgainAfterTheAgentHasHeardTheFirstEndsTheLoop) {
  const auto person = starts();
  // Where the machine took more than a second, it was a first one again, and the next try counts.
  for (size_t tries = 1; tries <= 20 && heard("SIGTERM").empty(); tries++) {
    const size_t before = heard("SIGINT").size();
    person->type(kCtrlC);
    ASSERT_TRUE(wait_until([&] { return heard("SIGINT").size() > before || !heard("SIGTERM").empty(); }));
  }
  EXPECT_EQ(end_of(*person), 130);
  EXPECT_EQ(heard("SIGTERM").size(), 1U);
  expect_restored(*person);
}

// Given interactive PTY mode is active and the Ctrl+C window is open, when 1 second passes without a second
// Ctrl+C, then the window closes and the next Ctrl+C starts a fresh window.
TEST_F(AtAListener, OneSecondWithoutASecondCtrlCClosesTheWindow) {
  const auto person = starts();
  person->type(kCtrlC);
  ASSERT_TRUE(hears("SIGINT"));
  const Time first = heard("SIGINT")[0].at;
  wait_for(first + milliseconds(1300));
  person->type(kCtrlC);
  ASSERT_TRUE(hears("SIGINT", 2)) << "the next one is forwarded";
  EXPECT_GE(heard("SIGINT")[1].at - first, milliseconds(1200));
  EXPECT_TRUE(heard("SIGTERM").empty());
  EXPECT_TRUE(events("iteration.ended").empty());
  // And it has started a fresh window, or starts one now.
  person->type("\x03\x03");
  EXPECT_EQ(end_of(*person), 130);
  EXPECT_EQ(heard("SIGTERM").size(), 1U);
}

// Given interactive PTY mode is active, when the user presses Ctrl+\, then SIGKILL is sent to the agent
// immediately.
TEST_F(AtAListener, CtrlBackslashSendsSigkillImmediately) {
  const auto person = starts();
  person->type("x");
  ASSERT_TRUE(hears("key x"));
  const Time pressed = now();
  person->type(kCtrlBackslash);
  EXPECT_EQ(end_of(*person), 130);
  const auto ended = events("iteration.ended");
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_LT(time_of(ended[0]) - pressed, seconds(5)) << "no grace";
  EXPECT_EQ(number_of("iteration.ended", "signal"), 9);
  EXPECT_EQ(text_of("iteration.ended", "how"), "killed");
  for (const char* other : {"SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"})
    EXPECT_TRUE(heard(other).empty()) << other;
  EXPECT_FALSE(living(heard("start")[0].pid));
  expect_restored(*person);
}

// Given observe PTY mode is active (`--observe`), when the user presses any key, then the key is ignored, not
// forwarded to the agent.
TEST_F(AtAListener, ObserveModeIgnoresAnyKey) {
  const auto person = starts({"--observe", "--idle-timeout", "0"});
  person->type("y\rq5\x1b[A");
  person->type(kCtrlC);
  // What comes another way reaches it, behind all that was typed.
  ASSERT_EQ(0, says("send " + newest()["name"].string() + " z").code);
  ASSERT_TRUE(hears("key z"));
  for (const Heard& each : heard()) {
    const bool known =
        each.what == "start" || each.what == "out" || each.what == "key z" || each.what == "SIGWINCH";
    EXPECT_TRUE(known) << each.what;
  }
  person->type("\x03\x03");
  EXPECT_EQ(end_of(*person), 130) << "but the two still end the loop";
  EXPECT_TRUE(heard("SIGINT").empty());
  expect_restored(*person);
}

TEST_F(AtAListener, ObserveModeIsEndedByCtrlBackslash) {
  const auto person = starts({"--observe", "--idle-timeout", "0"});
  person->type(kCtrlBackslash);
  EXPECT_EQ(end_of(*person), 130);
  EXPECT_TRUE(heard("SIGTERM").empty());
  expect_restored(*person);
}

// The design's non-goal is overruled.
TEST_F(AtAListener, AResizeReachesTheAgent) {
  const auto person = starts();
  person->terminal().resize(101, 33);
  EXPECT_TRUE(hears("SIGWINCH"));
  EXPECT_TRUE(person->terminal().expect("now 101x33"));
  person->type("q");
  EXPECT_EQ(end_of(*person), 0);
}

}  // namespace
}  // namespace acceptance
