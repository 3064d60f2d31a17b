// SPDX-License-Identifier: Apache-2.0
#include "detect/schedule.h"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using base::Moment;

constexpr Moment kStart{1000s};

TEST(Schedule, NeverLooksWhileNothingEverHappened) { EXPECT_FALSE(detect::Schedule().next()); }

TEST(Schedule, LooksSoonAndThenLessAndLessOften) {
  detect::Schedule schedule;
  schedule.moved(kStart);
  std::vector<base::Duration> steps;
  for (int i = 0; i < 9; i++) {
    const Moment at = *schedule.next();
    steps.push_back(at - kStart);
    schedule.looked(at);
  }
  const std::vector<base::Duration> wanted{200us, 1ms, 5ms, 20ms, 100ms, 250ms, 400ms, 550ms, 700ms};
  EXPECT_EQ(steps, wanted);
}

TEST(Schedule, LooksEverySecondAfterFive) {
  detect::Schedule schedule;
  schedule.moved(kStart);
  schedule.looked(kStart + 5s);
  EXPECT_EQ(*schedule.next(), kStart + 6s);
}

TEST(Schedule, LooksEveryFiveSecondsAfterAMinute) {
  detect::Schedule schedule;
  schedule.moved(kStart);
  schedule.looked(kStart + 61s);
  EXPECT_EQ(*schedule.next(), kStart + 66s);
}

TEST(Schedule, BeginsAnewWhenAByteMoves) {
  detect::Schedule schedule;
  schedule.moved(kStart);
  schedule.looked(kStart + 30s);
  schedule.moved(kStart + 31s);
  EXPECT_EQ(*schedule.next(), kStart + 31s + 200us);
}

TEST(Schedule, DoesNotLookWhileItRests) {
  detect::Schedule schedule;
  schedule.moved(kStart);
  schedule.looked(kStart + 1ms);
  schedule.rest();
  EXPECT_FALSE(schedule.next());
  schedule.moved(kStart + 1s);
  EXPECT_TRUE(schedule.next());
}

TEST(Schedule, TakesAnExtraLookOnce) {
  detect::Schedule schedule;
  schedule.moved(kStart);
  schedule.looked(kStart + 20ms);
  schedule.look_at(kStart + 50ms);
  EXPECT_EQ(*schedule.next(), kStart + 50ms);
  schedule.looked(kStart + 50ms);
  EXPECT_EQ(*schedule.next(), kStart + 100ms);
}

}  // namespace
