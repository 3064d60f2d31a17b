// SPDX-License-Identifier: Apache-2.0
// Terminal State.
#include <csignal>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;

// Given raw mode was entered for a PTY session, when the iteration completes (success or failure), then the
// terminal is restored to its original state.
TEST_F(LoopAcceptance, TheTerminalIsRestoredWhenTheIterationSucceeds) {
  uses("draws", {work_.file("go")});
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(person.sees("thinking"));
  EXPECT_TRUE(person.terminal().is_raw());
  support::write_file(work_.file("go"), "");
  EXPECT_EQ(end_of(person), 0);
  expect_restored(person);
}

TEST_F(LoopAcceptance, TheTerminalIsRestoredWhenTheIterationFails) {
  agent("stty raw -echo; printf '\\033[?1049h\\033[?25l\\033[?1002h\\033[?2004h'; kill -SEGV $$");
  support::Start start = loop({"--pty"});
  start.argv.insert(start.argv.begin() + 1, {"--set", "event_loop.max_consecutive_failures=1"});
  Person person(start);
  EXPECT_EQ(end_of(person), 1);
  expect_restored(person);
}

TEST_F(LoopAcceptance, TheTerminalIsRestoredWhenTheAgentIsKilledInItsScreen) {
  uses("draws", {work_.file("go")});
  for (const char* keys : {"\x03\x03", "\x1c"}) {
    Person person(loop({"--pty", "--idle-timeout", "0"}));
    ASSERT_TRUE(person.sees("thinking"));
    person.type(keys);
    EXPECT_EQ(end_of(person), 130);
    expect_restored(person);
  }
}

// Given raw mode was entered for a PTY session, when it crashes or receives SIGINT, then the terminal is
// restored to its original state (via cleanup handler).
class Crash : public LoopAcceptance, public testing::WithParamInterface<int> {};

TEST_P(Crash, TheTerminalIsRestoredWhenItCrashesOrReceivesASignal) {
  uses("draws", {work_.file("go")});
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(person.sees("thinking"));
  person.terminal().signal(GetParam());
  const auto status = person.terminal().wait_exit();
  ASSERT_TRUE(status);
  EXPECT_TRUE(WIFSIGNALED(*status) || WEXITSTATUS(*status) == 130) << *status;
  expect_restored(person);
}

INSTANTIATE_TEST_SUITE_P(By, Crash, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGBUS),
                         [](const auto& signo) { return std::string("SIG") + ::sigabbrev_np(signo.param); });

}  // namespace
}  // namespace acceptance
