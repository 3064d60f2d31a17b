// SPDX-License-Identifier: Apache-2.0
// Signals that end the process: the terminal is sane again, and the status is what it would have been.
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "raw_terminal.h"
#include "support/temp_dir.h"

namespace term_tests {
namespace {

using support::Terminal;

constexpr const char* kUndoAlternate = "\x1b[?1049l";

void expect_death(Terminal& terminal, int signo) {
  const int status = terminal.wait_exit().value_or(-1);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(signo, WTERMSIG(status));
  EXPECT_TRUE(terminal.is_sane());
  EXPECT_TRUE(support::same_settings(terminal.first_settings(), terminal.settings()));
}

// Something is left on and the terminal takes no more output.
void fill(Terminal& terminal, const std::string& log) {
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.type("w");
  ASSERT_TRUE(support::wait_until([&] { return support::read_file(log) == "full\n"; }));
}

struct Sent {
  int signo;
  const char* name;
};

void PrintTo(const Sent& sent, std::ostream* out) { *out << sent.name; }

class Fatal : public testing::TestWithParam<Sent> {};

TEST_P(Fatal, LeavesASaneTerminalWithoutLeftoversAndTheRightStatus) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  ASSERT_TRUE(terminal.is_raw());
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.signal(GetParam().signo);
  expect_death(terminal, GetParam().signo);
  EXPECT_NE(std::string::npos, terminal.output().find("\x1b[<1u\x1b[?1049l"));
  EXPECT_NE(std::string::npos, terminal.output().find("\x1b[?1003l"));
  EXPECT_NE(std::string::npos, terminal.output().find("\x1b[?2004l"));
}

INSTANTIATE_TEST_SUITE_P(Signals, Fatal,
                         testing::Values(Sent{SIGSEGV, "SEGV"}, Sent{SIGBUS, "BUS"}, Sent{SIGFPE, "FPE"},
                                         Sent{SIGILL, "ILL"}, Sent{SIGABRT, "ABRT"}, Sent{SIGHUP, "HUP"},
                                         Sent{SIGQUIT, "QUIT"}, Sent{SIGPIPE, "PIPE"}, Sent{SIGINT, "INT"},
                                         Sent{SIGTERM, "TERM"}),
                         [](const auto& param) { return param.param.name; });

struct Key {
  const char* key;
  int signo;
  const char* name;
};

void PrintTo(const Key& key, std::ostream* out) { *out << key.name; }

class Fault : public testing::TestWithParam<Key> {};

TEST_P(Fault, LeavesASaneTerminalAndTheRightStatus) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.type(GetParam().key);
  expect_death(terminal, GetParam().signo);
  EXPECT_NE(std::string::npos, terminal.output().find(kUndoAlternate));
}

INSTANTIATE_TEST_SUITE_P(Faults, Fault,
                         testing::Values(Key{"s", SIGSEGV, "BadAddress"}, Key{"o", SIGSEGV, "StackOverflow"},
                                         Key{"b", SIGBUS, "BehindTheEndOfAFile"}, Key{"a", SIGABRT, "Abort"}),
                         [](const auto& param) { return param.param.name; });

TEST(FatalSignals, RightBehindTheChangeFindTheTerminalRestored) {
  Terminal terminal(raw_program("struck"));
  expect_death(terminal, SIGTERM);
}

TEST(FatalSignals, AtAnyMomentOfTogglingFindTheTerminalRestored) {
  for (int round = 0; round < 15; round++) {
    Terminal terminal(raw_program("toggle"));
    ASSERT_TRUE(terminal.expect("ready"));
    terminal.signal(SIGTERM);
#ifdef __SANITIZE_THREAD__
    // Its runtime asks for the handler a second time when the kernel has chosen it already, and drops the
    // signal when it was removed in between.
    while (!terminal.wait_exit(std::chrono::seconds(1))) terminal.signal(SIGTERM);
#endif
    expect_death(terminal, SIGTERM);
  }
}

TEST(FatalSignals, DoNotWaitForATerminalThatTakesNoOutput) {
  const support::TempDir dir;
  Terminal terminal(raw_program("", {{"RAW_LOG", dir.file("log")}}));
  fill(terminal, dir.file("log"));
  terminal.signal(SIGTERM);
  // Nobody reads until the process has done all it had to do.
  ASSERT_TRUE(support::wait_until([&] { return terminal.is_sane(); }));
  EXPECT_EQ(SIGTERM, terminal.wait_exit());
}

TEST(Leaving, DoesNotWaitLongForATerminalThatTakesNoOutput) {
  const support::TempDir dir;
  Terminal terminal(raw_program("", {{"RAW_LOG", dir.file("log")}}));
  fill(terminal, dir.file("log"));
  terminal.type("q");
  ASSERT_TRUE(support::wait_until([&] { return terminal.is_sane(); }));
  EXPECT_TRUE(terminal.expect("left"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST(FatalSignals, IgnoredByTheParentStayIgnored) {
  auto start = raw_program();
  start.argv = {"sh", "-c", "trap '' HUP; exec \"$0\"", RAW_PROGRAM};
  Terminal terminal(start);
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.signal(SIGHUP);
  terminal.type("x");
  EXPECT_TRUE(terminal.expect("key x")) << "nohup is respected";
  EXPECT_TRUE(terminal.is_raw());
  terminal.signal(SIGTERM);
  EXPECT_EQ(SIGTERM, terminal.wait_exit());
}

TEST(FatalSignals, ReachThePreviousHandlerWithARestoredTerminalAndLifeGoesOn) {
  Terminal terminal(raw_program("chained"));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.signal(SIGTERM);
  EXPECT_TRUE(terminal.expect("previous 15 cooked"));
  EXPECT_TRUE(terminal.expect("continued")) << "the program is told to draw again";
  EXPECT_TRUE(terminal.is_raw());
  terminal.type("T");
  EXPECT_TRUE(terminal.expect("previous 15 cooked")) << "and has its handler back after leaving";
  EXPECT_TRUE(terminal.expect("survived"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST(FatalSignals, EndAForkedChildWithoutTouchingTheTerminal) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("m");
  ASSERT_TRUE(terminal.expect("on"));
  terminal.type("K");
  EXPECT_TRUE(terminal.expect("child 15"));
  EXPECT_TRUE(terminal.is_raw());
  EXPECT_EQ(std::string::npos, terminal.output().find(kUndoAlternate));
}

TEST(FatalSignals, AfterLeavingHaveTheirDefaultAction) {
  Terminal terminal(raw_program());
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("T");
  EXPECT_EQ(SIGTERM, terminal.wait_exit());
  EXPECT_TRUE(terminal.is_sane());
}

}  // namespace
}  // namespace term_tests
