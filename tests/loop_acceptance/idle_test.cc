// SPDX-License-Identifier: Apache-2.0
// Idle Timeout, with three seconds in place of thirty.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <map>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::wait_until;
using testing::HasSubstr;

constexpr seconds kIdle{3};
constexpr milliseconds kAlmost{2900};  // as 29 of 30

class Idle : public LoopAcceptance {
 protected:
  void press(Person& person, char key) {
    pressed_[fmt::format("key {}", key)] = now();
    person.type(std::string_view(&key, 1));
  }
  // The time since anything happened, at each SIGTERM. A key counts from when it was pressed: the agent comes
  // to see it later.
  void expect_no_sigterm_was_early() const {
    Time last{};
    for (const Heard& each : heard()) {
      if (each.what == "SIGTERM") {
        EXPECT_GE(each.at - last, kIdle);
      } else if (each.what == "out" || pressed_.contains(each.what)) {
        last = each.what == "out" ? each.at : pressed_.at(each.what);
      }
    }
  }
  std::vector<Heard> of_newest_agent() const {
    auto all = heard();
    const pid_t newest = all.empty() ? 0 : all.back().pid;
    std::erase_if(all, [&](const Heard& each) { return each.pid != newest; });
    return all;
  }

  std::map<std::string, Time> pressed_;
};

// Given `idle_timeout_secs: 30`, when neither agent nor user produces activity for 30 seconds, then SIGTERM
// is sent to the agent.
TEST_F(Idle, NoActivityForTheTimeoutSendsSigterm) {
  uses_listener();
  Person person(loop({"--pty", "--idle-timeout", "3", "--max-iterations", "1"}));
  EXPECT_EQ(end_of(person), 5) << "no failure, and no promise";
  ASSERT_EQ(heard("SIGTERM").size(), 1U);
  expect_no_sigterm_was_early();
  EXPECT_THAT(person.terminal().output(), HasSubstr("idle for 3 s, sent SIGTERM"));
  EXPECT_EQ(text_of("iteration.ended", "how"), "idle");
  EXPECT_FALSE(events("iteration.ended")[0].at("failure").as_bool());
  expect_restored(person);
}

TEST_F(Idle, ASilentAgentEndsByTheTimeout) {
  uses("silent");
  Person person(loop({"--pty", "--idle-timeout", "1", "--max-iterations", "1"}));
  EXPECT_EQ(end_of(person), 5);
  EXPECT_EQ(text_of("iteration.ended", "how"), "idle");
  EXPECT_EQ(number_of("iteration.ended", "signal"), 15);
}

// Given interactive mode with `idle_timeout_secs: 30`, when the agent is idle but the user presses a key at
// 29 seconds, then the timeout resets, the agent continues.
//
// On a busy machine a key that is pressed in time may come too late. Then the agent has rightly been ended,
// and the next iteration has another try.
TEST_F(Idle, AKeyShortlyBeforeTheTimeoutResetsIt) {
  uses_listener();
  Person person(loop({"--pty", "--idle-timeout", "3", "--max-iterations", "20"}));
  bool in_time = false;
  for (size_t tries = 1; tries <= 20 && !in_time; tries++) {
    ASSERT_TRUE(hears("out", tries));
    wait_for(heard("out").back().at + kAlmost);
    const char key = static_cast<char>('A' + tries);
    press(person, key);
    // It goes on until it has been idle for the whole time again.
    ASSERT_TRUE(hears("SIGTERM", tries));
    in_time = !heard(fmt::format("key {}", key)).empty();
  }
  EXPECT_TRUE(in_time);
  expect_no_sigterm_was_early();
  person.type("\x1c");
  EXPECT_EQ(end_of(person), 130);
}

// Given interactive mode with `idle_timeout_secs: 30`, when the user is idle but the agent outputs at 29
// seconds, then the timeout resets, the process continues.
TEST_F(Idle, OutputShortlyBeforeTheTimeoutResetsIt) {
  uses_listener({"--every", "2.9"});
  Person person(loop({"--pty", "--idle-timeout", "3", "--max-iterations", "20"}));
  // Three times in a row, of one agent; see above.
  EXPECT_TRUE(wait_until([&] {
    int times = 0;
    for (const Heard& each : of_newest_agent()) times += each.what == "out" ? 1 : 0;
    return times >= 4;
  }));
  expect_no_sigterm_was_early();
  const auto all = of_newest_agent();
  EXPECT_GE(all.back().at - all.front().at, 3 * kAlmost);
  person.type("q");
  EXPECT_EQ(end_of(person), 0);
}

// A first Ctrl+C is a key like others.
TEST_F(Idle, AFirstCtrlCResetsTheTimeout) {
  uses_listener();
  Person person(loop({"--pty", "--idle-timeout", "3", "--max-iterations", "1"}));
  ASSERT_TRUE(hears("out"));
  wait_for(heard("out")[0].at + kIdle / 2);
  pressed_["SIGINT"] = now();
  person.type("\x03");
  EXPECT_EQ(end_of(person), 5);
  ASSERT_EQ(heard("SIGINT").size(), 1U);
  expect_no_sigterm_was_early();
}

// Keys that are ignored are no activity.
TEST_F(Idle, InObserveModeKeysDoNotResetTheTimeout) {
  uses_listener();
  Person person(loop({"--observe", "--idle-timeout", "3", "--max-iterations", "1"}));
  ASSERT_TRUE(person.sees("ready"));
  // It would never end otherwise.
  wait_until([&] {
    if (person.terminal().wait_exit(milliseconds(0))) return true;
    person.type("k");
    return false;
  });
  EXPECT_EQ(end_of(person), 5);
  EXPECT_EQ(text_of("iteration.ended", "how"), "idle");
}

// Given `idle_timeout_secs: 0`, when both agent and user are idle, then no timeout triggers, wait
// indefinitely for natural exit or Ctrl+C.
TEST_F(Idle, ZeroMeansThatNoTimeoutTriggers) {
  uses_listener();
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(hears("out"));
  wait_for(heard("out")[0].at + 3 * kIdle);
  EXPECT_TRUE(events("idle").empty());
  EXPECT_TRUE(events("iteration.ended").empty());
  person.type("q");
  EXPECT_EQ(end_of(person), 0);
  EXPECT_TRUE(heard("SIGTERM").empty());
  EXPECT_GE(heard("key q")[0].at - heard("out")[0].at, 3 * kIdle);
}

}  // namespace
}  // namespace acceptance
