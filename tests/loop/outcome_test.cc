// SPDX-License-Identifier: Apache-2.0
#include "loop/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using loop::How;
using loop::is_failure;
using loop::IterationEnd;
using loop::LimitPause;
using loop::Outcome;
using loop::Why;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

config::EventLoop limits(int iterations, int failures) {
  config::EventLoop settings;
  settings.max_iterations = iterations;
  settings.max_consecutive_failures = failures;
  return settings;
}

IterationEnd exited(int code) {
  return {.how = How::exit, .exit = pty::ExitStatus{code, 0}, .lasted = seconds(12)};
}
IterationEnd ended(How how) { return {.how = how, .exit = pty::ExitStatus{143, 15}, .lasted = seconds(12)}; }

TEST(Outcome, OnlyAnEndThatTheAgentChoseIsAFailure) {
  EXPECT_TRUE(is_failure(exited(1)));
  EXPECT_TRUE(is_failure({.how = How::exit, .exit = pty::ExitStatus{139, 11}}));
  EXPECT_TRUE(is_failure({.how = How::spawn_failed}));
  EXPECT_FALSE(is_failure(exited(0)));
  EXPECT_FALSE(is_failure(ended(How::idle)));
  EXPECT_FALSE(is_failure(ended(How::runtime)));
  IterationEnd kept = exited(1);
  kept.promise_kept = true;
  EXPECT_FALSE(is_failure(kept));
}

TEST(Outcome, FailuresCountInARow) {
  Outcome outcome(limits(100, 2));
  outcome.note(1, exited(1));
  EXPECT_FALSE(outcome.over());
  outcome.note(2, exited(0));
  outcome.note(3, exited(1));
  EXPECT_FALSE(outcome.over());
  outcome.note(4, {.how = How::spawn_failed});
  EXPECT_EQ(outcome.over(), Why::failures);
  EXPECT_EQ(exit_code_of(Why::failures), 1);
}

TEST(Outcome, APromiseKeptInTheLastIterationIsKept) {
  Outcome outcome(limits(2, 5));
  outcome.note(1, exited(0));
  EXPECT_FALSE(outcome.over());
  IterationEnd kept = exited(0);
  kept.promise_kept = true;
  outcome.note(2, kept);
  EXPECT_EQ(outcome.over(), Why::promise_kept);
  EXPECT_EQ(exit_code_of(Why::promise_kept), 0);
}

TEST(Outcome, EndsByItsLimits) {
  Outcome outcome(limits(2, 5));
  outcome.note(1, exited(0));
  outcome.note(2, ended(How::idle));
  EXPECT_EQ(outcome.over(), Why::iterations);
  Outcome late(limits(100, 5));
  late.note(1, ended(How::runtime));
  EXPECT_EQ(late.over(), Why::runtime);
  EXPECT_EQ(exit_code_of(Why::iterations), 5);
  EXPECT_EQ(exit_code_of(Why::runtime), 5);
}

TEST(Outcome, WhatAPersonWantsGoesFirst) {
  for (const auto& [how, why, code] :
       {std::tuple{How::interrupted, Why::interrupted, 130}, std::tuple{How::killed, Why::interrupted, 130},
        std::tuple{How::stopped, Why::stopped, 1}}) {
    Outcome outcome(limits(1, 1));
    outcome.note(1, ended(how));
    EXPECT_EQ(outcome.over(), why);
    EXPECT_EQ(exit_code_of(why), code);
  }
}

TEST(Outcome, AUsageLimitSpendsNoIterationAndIsNoFailure) {
  Outcome outcome(limits(1, 1));
  outcome.note(1, ended(How::limit));
  EXPECT_FALSE(outcome.over());
  EXPECT_EQ(outcome.iterations(), 0);
  config::EventLoop strict = limits(1, 1);
  strict.on_limit = config::OnLimit::stop;
  Outcome stopping(strict);
  stopping.note(1, ended(How::limit));
  EXPECT_EQ(stopping.over(), Why::limit);
  EXPECT_EQ(exit_code_of(Why::limit), 1);
}

TEST(Outcome, TheSummaryNamesIterationsDurationsReasonAndLogs) {
  Outcome outcome(limits(2, 5));
  outcome.note(1, exited(3));
  outcome.note(2, ended(How::idle));
  const std::string text = outcome.summary(Why::iterations, seconds(84), "/folder");
  EXPECT_THAT(text, HasSubstr("iterations used up after 2 iterations, 1 min 24 s\n"));
  EXPECT_THAT(text, HasSubstr("  iteration 1: exit code 3 after 12 s\n"));
  EXPECT_THAT(text, HasSubstr("  iteration 2: ended as idle after 12 s\n"));
  EXPECT_THAT(text, HasSubstr("  logs: /folder\n"));
}

TEST(Outcome, AnIdleEndIsAnnouncedAsTheSeedHasIt) {
  EXPECT_EQ(in_words(ended(How::idle), seconds(30)), "idle for 30 s, sent SIGTERM");
}

TEST(LimitPause, LastsUntilTheLimitIsLifted) {
  LimitPause pause;
  const base::WallTime now{seconds(1'700'000'000)};
  EXPECT_EQ(pause.until(now + minutes(90), now), now + minutes(90));
}

TEST(LimitPause, GrowsWhereNobodyKnowsAndIsNeverEmpty) {
  LimitPause pause;
  const base::WallTime now{seconds(1'700'000'000)};
  EXPECT_EQ(pause.until({}, now), now + minutes(5));
  EXPECT_EQ(pause.until(now - minutes(1), now), now + minutes(10));
  EXPECT_EQ(pause.until({}, now), now + minutes(20));
  for (int i = 0; i < 20; i++) EXPECT_LE(pause.until({}, now), now + minutes(60));
  EXPECT_EQ(pause.until({}, now), now + minutes(60));
  pause.over();
  EXPECT_EQ(pause.until({}, now), now + minutes(5));
}

TEST(LimitPause, ALimitThatComesAtOnceAgainIsWaitedForALittleLonger) {
  LimitPause pause;
  const base::WallTime now{seconds(1'700'000'000)};
  EXPECT_EQ(pause.until(now + seconds(1), now), now + seconds(1));
  EXPECT_EQ(pause.until(now + seconds(1), now), now + seconds(2));
  EXPECT_EQ(pause.until(now + seconds(1), now), now + seconds(4));
}

}  // namespace
