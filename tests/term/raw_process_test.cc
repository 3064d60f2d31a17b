// SPDX-License-Identifier: Apache-2.0
// RawMode in a process that has the terminal as its controlling one: ways out other than signals, type-ahead,
// resizing, forking, a failure in the middle.
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "raw_terminal.h"

namespace term_tests {
namespace {

using support::Terminal;

bool undone(Terminal& terminal) {
  return terminal.output().find("\x1b[?1049l") != std::string::npos &&
         terminal.output().find("\x1b[?2004l") != std::string::npos;
}

TEST(RawProcess, LeavingRestoresModesAndUndoesLeftovers) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  EXPECT_TRUE(terminal.is_raw());
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  EXPECT_FALSE(undone(terminal));
  terminal.type("q");
  EXPECT_TRUE(terminal.expect("left"));
  EXPECT_EQ(0, terminal.wait_exit());
  EXPECT_TRUE(undone(terminal));
  EXPECT_TRUE(support::same_settings(terminal.first_settings(), terminal.settings()));
}

TEST(RawProcess, ExitWithoutLeavingRestoresModesAndUndoesLeftovers) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.type("e");
  EXPECT_EQ(W_EXITCODE(3, 0), terminal.wait_exit());
  EXPECT_TRUE(undone(terminal));
  EXPECT_TRUE(support::same_settings(terminal.first_settings(), terminal.settings()));
}

TEST(RawProcess, AForkedChildThatExitsLeavesTheParentsTerminalAlone) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.type("k");
  ASSERT_TRUE(terminal.expect("child 0"));
  EXPECT_TRUE(terminal.is_raw());
  EXPECT_FALSE(undone(terminal));
}

TEST(RawProcess, WhatWasTypedBeforeEnteringIsRead) {
  Terminal terminal(raw_program("late"));
  ASSERT_TRUE(terminal.expect("waiting"));
  terminal.type("123");
  ASSERT_TRUE(terminal.expect("123")) << "echoed, so it is in the line's buffer";
  terminal.signal(SIGUSR2);
  EXPECT_TRUE(terminal.expect("key 1"));
  EXPECT_TRUE(terminal.expect("key 2"));
  EXPECT_TRUE(terminal.expect("key 3"));
}

TEST(RawProcess, WhatWasTypedBeforeLeavingIsThereForTheNextReader) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("p");
  ASSERT_TRUE(terminal.expect("not reading"));
  terminal.type("hello\n");
  EXPECT_TRUE(terminal.expect("line: hello"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST(RawProcess, AResizeIsToldAndTheNewSizeRead) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("size 80x24"));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.resize(100, 30);
  EXPECT_TRUE(terminal.expect("size 100x30"));
  terminal.resize(0, 0);
  EXPECT_TRUE(terminal.expect("size 80x24"));
}

TEST(RawProcess, AWindowOf0By0HasTheSizeOfTheEnvironment) {
  auto start = raw_program();
  start.cols = 0;
  start.rows = 0;
  start.env["COLUMNS"] = "100";
  start.env["LINES"] = "";
  Terminal terminal(start);
  EXPECT_TRUE(terminal.expect("size 100x24"));
}

TEST(RawProcess, DevTtyIsTheSameTerminal) {
  Terminal terminal(raw_program("devtty"));
  EXPECT_TRUE(terminal.expect("still raw"));
  ASSERT_TRUE(terminal.expect("ready"));
  EXPECT_TRUE(terminal.is_raw());
  terminal.type("q");
  EXPECT_EQ(0, terminal.wait_exit());
  EXPECT_TRUE(terminal.is_sane());
}

TEST(RawProcess, AFailureHalfwayThroughInstallingIsRolledBack) {
  Terminal terminal(raw_program("halfway"));
  EXPECT_TRUE(terminal.expect("refused: cannot handle signals"));
  EXPECT_TRUE(terminal.expect("rolled back"));
  EXPECT_EQ(0, terminal.wait_exit());
  EXPECT_EQ(std::string::npos, terminal.output().find("still handled")) << terminal.output();
  EXPECT_TRUE(terminal.is_sane());
}

TEST(RawProcess, SaysClearlyThatItsInputIsNoTerminal) {
  auto start = raw_program();
  start.argv = {"sh", "-c", "\"$0\" </dev/null", RAW_PROGRAM};
  Terminal terminal(start);
  EXPECT_TRUE(terminal.expect("failed: not a terminal"));
  EXPECT_EQ(W_EXITCODE(7, 0), terminal.wait_exit());
}

}  // namespace
}  // namespace term_tests
