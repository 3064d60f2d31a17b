// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

namespace base {
namespace {

using std::chrono::seconds;

TEST(ManualClock, StandsStillUntilMoved) {
  ManualClock clock;
  const Moment start = clock.now();
  EXPECT_EQ(start, clock.now());
  clock.advance(seconds(3));
  EXPECT_EQ(start + seconds(3), clock.now());
}

TEST(ManualClock, AStepOfTheWallClockLeavesDeadlinesAlone) {
  ManualClock clock;
  const Moment start = clock.now();
  const WallTime wall = clock.wall();
  clock.step_wall(seconds(-3600));
  EXPECT_EQ(start, clock.now());
  EXPECT_EQ(wall - seconds(3600), clock.wall());
}

TEST(RealClock, GoesOn) {
  RealClock clock;
  const Moment start = clock.now();
  while (clock.now() == start) {
  }
  EXPECT_GT(clock.now(), start);
}

}  // namespace
}  // namespace base
