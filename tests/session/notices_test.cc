// SPDX-License-Identifier: Apache-2.0
#include "session/notices.h"

#include <gtest/gtest.h>
#include <random_sequence.h>

namespace session {
namespace {

TEST(Notices, AreThoseOfTheTableToTheLetter) {
  EXPECT_EQ("\r\n\x1b[2m[process exited (code 0)]\x1b[0m\r\n", exit_notice(0));
  EXPECT_EQ("\r\n\x1b[2m[process exited (code 137)]\x1b[0m\r\n", exit_notice(137));
  EXPECT_EQ("\x1b[2m[restarting in 1000ms...]\x1b[0m\r\n", restart_notice(std::chrono::seconds(1)));
}

TEST(Undo, IsNothingWhereNothingIsOn) {
  vt::Screen screen({80, 24}, {}, nullptr);
  screen.feed("just text\r\n");
  EXPECT_EQ("", undo_modes(screen));
}

// Whatever a program left on, afterwards the screen is the main one with ordinary modes, and there is nothing
// more to undo.
TEST(Undo, BringsBackOrdinaryModesFromAnything) {
  for (uint64_t seed = 1; seed <= 300; seed++) {
    vt::Screen screen({80, 24}, {}, nullptr);
    vt_test::RandomSequence random(seed, vt_test::Grammar::everything);
    screen.feed(random.make(200));
    screen.feed(undo_modes(screen) + exit_notice(0));
    EXPECT_EQ("", undo_modes(screen)) << seed;
    EXPECT_EQ(vt::Which::main, screen.showing()) << seed;
    for (const vt::ModeInfo& each : vt::all_modes())
      EXPECT_EQ(each.initial, screen.modes()[each.mode]) << seed << " " << each.number;
    EXPECT_TRUE(screen.pending().empty()) << seed;
  }
}

}  // namespace
}  // namespace session
