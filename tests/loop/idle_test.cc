// SPDX-License-Identifier: Apache-2.0
#include "loop/idle.h"

#include <gtest/gtest.h>

namespace {

using loop::Idle;
using loop::WaitingPrompt;
using std::chrono::seconds;
using Verdict = Idle::Verdict;

const base::Moment kStart{seconds(1000)};

TEST(Idle, IsDueAfterTheTimeoutAndOutputStartsItAnew) {
  Idle idle(seconds(30), seconds(600), kStart);
  EXPECT_EQ(idle.due(), kStart + seconds(30));
  idle.output(kStart + seconds(29));
  EXPECT_EQ(idle.due(), kStart + seconds(59));
  EXPECT_EQ(idle.look(kStart + seconds(59), {}, {}), Verdict::idle);
}

TEST(Idle, KeysThatTheDaemonHasSeenStartItAnew) {
  Idle idle(seconds(30), seconds(600), kStart);
  EXPECT_EQ(idle.look(kStart + seconds(30), seconds(1), {}), Verdict::go_on);
  EXPECT_EQ(idle.due(), kStart + seconds(59));
  EXPECT_EQ(idle.look(kStart + seconds(59), seconds(30), {}), Verdict::idle);
}

TEST(Idle, IsNeverSoWithoutATimeout) {
  Idle idle(seconds(0), seconds(600), kStart);
  EXPECT_FALSE(idle.due());
  EXPECT_EQ(idle.look(kStart + seconds(9999), {}, {}), Verdict::go_on);
}

TEST(Idle, APromptHoldsItUntilItHasGoneAndThenItStartsFromZero) {
  Idle idle(seconds(30), seconds(600), kStart);
  const WaitingPrompt prompt{"a", seconds(25)};
  EXPECT_EQ(idle.look(kStart + seconds(30), {}, prompt), Verdict::hold);
  EXPECT_EQ(idle.due(), kStart + seconds(30 + 575));
  idle.prompt_left(kStart + seconds(200));
  EXPECT_EQ(idle.due(), kStart + seconds(230));
  EXPECT_EQ(idle.look(kStart + seconds(230), {}, {}), Verdict::idle);
}

TEST(Idle, APromptThatExpiresIsHeldOnce) {
  Idle idle(seconds(30), seconds(600), kStart);
  EXPECT_EQ(idle.look(kStart + seconds(30), {}, WaitingPrompt{"a", seconds(0)}), Verdict::hold);
  EXPECT_EQ(idle.due(), kStart + seconds(630));
  EXPECT_EQ(idle.look(kStart + seconds(630), {}, WaitingPrompt{"a", seconds(600)}), Verdict::go_on);
  EXPECT_EQ(idle.due(), kStart + seconds(660));
  EXPECT_EQ(idle.look(kStart + seconds(660), {}, WaitingPrompt{"a", seconds(630)}), Verdict::idle);
}

TEST(Idle, AnotherPromptIsHeldInItsOwnTime) {
  Idle idle(seconds(30), seconds(600), kStart);
  EXPECT_EQ(idle.look(kStart + seconds(30), {}, WaitingPrompt{"a", seconds(0)}), Verdict::hold);
  EXPECT_EQ(idle.look(kStart + seconds(100), {}, WaitingPrompt{"b", seconds(10)}), Verdict::hold);
  EXPECT_EQ(idle.due(), kStart + seconds(690));
}

TEST(Idle, APromptThatLeftWhileNobodyWasToldStartsItFromZero) {
  Idle idle(seconds(30), seconds(600), kStart);
  EXPECT_EQ(idle.look(kStart + seconds(30), {}, WaitingPrompt{"a", seconds(0)}), Verdict::hold);
  EXPECT_EQ(idle.look(kStart + seconds(90), {}, {}), Verdict::go_on);
  EXPECT_EQ(idle.due(), kStart + seconds(120));
}

}  // namespace
