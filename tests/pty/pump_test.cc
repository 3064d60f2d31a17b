// SPDX-License-Identifier: Apache-2.0
#include "pty/pump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "running_program.h"

namespace pty {
namespace {

TEST(Pump, BringsEverythingUpToTheEnd) {
  std::string expected;
  for (int i = 1; i <= 100'000; i++) expected += std::to_string(i) + "\r\n";
  EXPECT_EQ(expected, RunningProgram(command({"seq", "1", "100000"})).output_to_the_end());
}

// The kernel hands output over in the background; a program that is reaped already may still have some under
// way.
TEST(Pump, FindsWhatWasWrittenJustBeforeTheProgramEnded) {
  const std::string line(200, 'x');
  for (int round = 0; round < 200; round++) {
    RunningProgram program(command({"sh", "-c", "printf '%s' " + line + "; exit 3"}));
    ASSERT_EQ((ExitStatus{3, 0}), program.wait_exit());
    ASSERT_EQ(line, program.output_to_the_end());
  }
}

TEST(Pump, SaysEmptyAsLongAsSomebodyHasTheTerminalOpen) {
  RunningProgram program(command({"sh", "-c", "echo here; cat"}));
  ASSERT_TRUE(program.expect("here"));
  const auto step = program.pump().step();
  ASSERT_TRUE(step);
  EXPECT_EQ(Pump::State::empty, step->state);
}

TEST(Pump, GoesOnWhenTheProgramHasEndedButAChildStillWrites) {
  RunningProgram program(command({"bash", "-c", "trap '' HUP; (read < /dev/tty; echo late) & echo early"}));
  ASSERT_TRUE(program.expect("early"));
  ASSERT_EQ((ExitStatus{0, 0}), program.wait_exit());
  program.type("\n");
  EXPECT_THAT(program.output_to_the_end(), testing::HasSubstr("late"));
}

}  // namespace
}  // namespace pty
