// SPDX-License-Identifier: Apache-2.0
// Suspending and continuing, under a real interactive shell and without one.
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "raw_terminal.h"
#include "support/temp_dir.h"

namespace term_tests {
namespace {

using support::Terminal;
using support::wait_until;

const std::string kRun = std::string(RAW_PROGRAM) + "\r";

bool becomes_raw(const Terminal& terminal) {
  return wait_until([&] { return terminal.is_raw(); });
}

// The shell has the terminal when it has restored it and prompts; both, since the prompt comes last.
testing::AssertionResult suspended(Terminal& terminal) {
  if (!terminal.expect("Stopped") || !terminal.expect("prompt> "))
    return testing::AssertionFailure() << "the shell does not say that it stopped";
  if (!terminal.is_sane()) return testing::AssertionFailure() << "the terminal is not sane";
  return testing::AssertionSuccess();
}

class JobControl : public testing::Test {
 protected:
  JobControl() {
    EXPECT_TRUE(terminal.expect("prompt> "));
    terminal.type(kRun);
    EXPECT_TRUE(terminal.expect("ready"));
    EXPECT_TRUE(becomes_raw(terminal));
  }

  // Until the program has seen, once more, that the terminal is not its own.
  bool in_background() const {
    const auto seen = support::read_file(log()).size();
    return wait_until([&] { return support::read_file(log()).size() > seen; });
  }
  std::string log() const { return dir.file("log"); }

  support::TempDir dir;
  Terminal terminal{shell({{"RAW_LOG", dir.file("log")}})};
};

TEST_F(JobControl, SuspendInTheForegroundAndFgBringsRawModeBack) {
  terminal.type("z");
  ASSERT_TRUE(suspended(terminal));
  terminal.type("fg\r");
  EXPECT_TRUE(terminal.expect("continued"));
  EXPECT_TRUE(terminal.is_raw());
  terminal.type("x");
  EXPECT_TRUE(terminal.expect("key x"));
  terminal.type("q");
  EXPECT_TRUE(terminal.expect("left"));
  EXPECT_TRUE(terminal.expect("prompt> "));
  EXPECT_TRUE(terminal.is_sane());
}

TEST_F(JobControl, SuspendsAgainAndAgain) {
  for (int round = 0; round < 4; round++) {
    terminal.type("z");
    ASSERT_TRUE(suspended(terminal)) << round;
    terminal.type("fg\r");
    ASSERT_TRUE(terminal.expect("continued")) << round;
    ASSERT_TRUE(terminal.is_raw()) << round;
  }
}

TEST_F(JobControl, SuspendUndoesLeftoversAndContinuingBringsThemBack) {
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.type("z");
  EXPECT_TRUE(terminal.expect("\x1b[<1u\x1b[?1049l"));
  EXPECT_TRUE(terminal.expect("\x1b[?2004l"));
  ASSERT_TRUE(suspended(terminal));
  terminal.type("fg\r");
  EXPECT_TRUE(terminal.expect("\x1b[?1049h\x1b[>5u"));
  EXPECT_TRUE(terminal.expect("\x1b[?2004h"));
  EXPECT_TRUE(terminal.expect("continued"));
  terminal.type("q");
  EXPECT_TRUE(terminal.expect("\x1b[?1049l")) << "and they are undone again at the end";
}

TEST_F(JobControl, InTheBackgroundItNeitherTouchesTheTerminalNorIsStoppedAndFgMakesItRaw) {
  terminal.type("z");
  ASSERT_TRUE(suspended(terminal));
  terminal.type("bg\r");
  ASSERT_TRUE(in_background());
  ASSERT_TRUE(in_background()) << "it looks again and again";
  EXPECT_TRUE(terminal.is_sane());
  terminal.type("jobs\r");
  EXPECT_TRUE(terminal.expect("Running"));
  EXPECT_TRUE(terminal.is_sane());
  terminal.type("fg\r");
  EXPECT_TRUE(terminal.expect("continued"));
  EXPECT_TRUE(terminal.is_raw());
  terminal.type("x");
  EXPECT_TRUE(terminal.expect("key x"));
}

TEST_F(JobControl, KilledInTheBackgroundItLeavesTheForegroundsTerminalAlone) {
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.type("z");
  ASSERT_TRUE(suspended(terminal));
  terminal.type("bg\r");
  ASSERT_TRUE(in_background());
  const size_t before = terminal.output().size();
  terminal.type("stty -echo; kill %1; wait; echo over; read line\r");
  ASSERT_TRUE(terminal.expect("over\r\n"));
  EXPECT_EQ(0U, terminal.settings().c_lflag & ECHO) << "the modes are those of whoever is in front";
  EXPECT_EQ(std::string::npos, terminal.output().find("\x1b[?1049l", before)) << "nothing is undone twice";
}

TEST_F(JobControl, StoppedBySigstopItIsRawAgainAfterFg) {
  terminal.type("S");
  ASSERT_TRUE(suspended(terminal)) << "the shell itself restores";
  terminal.type("fg\r");
  EXPECT_TRUE(terminal.expect("continued"));
  EXPECT_TRUE(terminal.is_raw());
}

TEST(JobControlStart, StartedInTheBackgroundItStopsUntilItIsBroughtForward) {
  Terminal terminal(shell());
  ASSERT_TRUE(terminal.expect("prompt> "));
  terminal.type(std::string(RAW_PROGRAM) + " &\r");
  ASSERT_TRUE(terminal.expect("prompt> "));
  ASSERT_TRUE(wait_until([&] {
    terminal.type("jobs\r");
    return terminal.expect("prompt> ") && terminal.output().find("Stopped") != std::string::npos;
  }));
  EXPECT_TRUE(terminal.is_sane());
  terminal.type("fg\r");
  EXPECT_TRUE(terminal.expect("ready"));
  EXPECT_TRUE(becomes_raw(terminal));
  terminal.type("q");
  EXPECT_TRUE(terminal.expect("left"));
  EXPECT_TRUE(terminal.is_sane()) << "it saved the shell's modes";
}

// Its parent is this test, in another session: nobody could continue it, so the kernel discards the stop.
TEST(OrphanedProcessGroup, ADiscardedStopLeavesTheTerminalRaw) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  for (int round = 0; round < 3; round++) {
    terminal.signal(SIGTSTP);
    ASSERT_TRUE(terminal.expect("continued"));
    EXPECT_TRUE(terminal.is_raw());
    terminal.type("z");
    ASSERT_TRUE(terminal.expect("continued"));
    EXPECT_TRUE(terminal.is_raw());
  }
  terminal.type("q");
  EXPECT_EQ(0, terminal.wait_exit());
  EXPECT_TRUE(terminal.is_sane());
}

TEST(OrphanedProcessGroup, AStopReachesThePreviousHandlerWithARestoredTerminal) {
  Terminal terminal(raw_program("chained"));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.signal(SIGTSTP);
  EXPECT_TRUE(terminal.expect("previous 20 cooked"));
  EXPECT_TRUE(terminal.expect("continued"));
  EXPECT_TRUE(terminal.is_raw());
  terminal.resize(91, 31);
  EXPECT_TRUE(terminal.expect("previous 28 raw"));
  EXPECT_TRUE(terminal.expect("size 91x31"));
}

}  // namespace
}  // namespace term_tests
