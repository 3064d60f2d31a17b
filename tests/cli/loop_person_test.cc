// SPDX-License-Identifier: Apache-2.0
// A person at a loop: the manual phases of the design, scripted on real terminals.
#include <csignal>
#include <gmock/gmock.h>

#include "loop_home.h"

namespace cli {
namespace {

using support::same_settings;
using support::Terminal;
using support::wait_until;
using testing::HasSubstr;
using testing::Not;

// Says what it is sent, and counts the interrupts.
constexpr const char* kListener =
    "trap 'echo interrupted' INT; stty -echo; echo ready; while :; do read -r line && echo \"got $line\"; "
    "done";

TEST_F(LoopTest, TheAgentsScreenIsShownAsItIsDrawn) {
  agent(
      "tput smcup; tput cup 4 10; printf '\\033[1;36mthinking\\033[0m'; stty size; tput rmcup; echo "
      "LOOP_COMPLETE");
  support::Start start = loop({"--pty", "--idle-timeout", "0"});
  start.cols = 91;
  start.rows = 17;
  Terminal terminal(start);
  EXPECT_TRUE(terminal.expect("\x1b[1;36mthinking\x1b[0m"));
  EXPECT_TRUE(terminal.expect("17 91"));
  EXPECT_TRUE(terminal.expect("promise kept"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(LoopTest, EveryIterationIsSeenInOneTerminal) {
  agent(
      "n=$(($(cat n 2>/dev/null) + 1)); echo $n > n; echo \"run number $n\"; [ $n -lt 3 ] || echo "
      "LOOP_COMPLETE");
  Terminal terminal(loop({"--pty"}));
  EXPECT_TRUE(terminal.expect("run number 1"));
  EXPECT_TRUE(terminal.expect("run number 2"));
  EXPECT_TRUE(terminal.expect("run number 3"));
  EXPECT_TRUE(terminal.expect("promise kept"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(LoopTest, EscapeAloneReachesTheAgent) {
  agent(
      "stty raw -echo; echo ready; key=$(dd bs=1 count=1 2>/dev/null | od -An -tx1); stty sane; echo \"got"
      "$key\"; echo LOOP_COMPLETE");
  Terminal terminal(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("\x1b");
  EXPECT_TRUE(terminal.expect("got 1b"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(LoopTest, BetweenIterationsOneCtrlCEndsTheLoop) {
  agent("echo done for now");
  Terminal terminal(tend({"--set", "event_loop.cooldown_delay_seconds=1000", "--set", "cli.backend=custom",
                          "--set", "cli.command=" + work_.file("agent.sh"), "loop", "--pty", "-p", "x"}));
  ASSERT_TRUE(terminal.expect("done for now"));
  ASSERT_TRUE(is_in_state("cooling down"));
  // Its terminal knows it too: until then the key is the agent's.
  ASSERT_TRUE(terminal.expect("iteration 1 of 100: exit code 0"));
  terminal.type("dropped\x03");
  EXPECT_EQ(W_EXITCODE(130, 0), terminal.wait_exit());
}

class LoopSignal : public LoopTest, public testing::WithParamInterface<int> {};

TEST_P(LoopSignal, ASignalLeavesTheLoopRunningAndTheTerminalSane) {
  agent(kListener);
  Terminal terminal(loop({"--pty", "--idle-timeout", "0", "-n", "left"}));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.signal(GetParam());
  const auto status = terminal.wait_exit();
  ASSERT_TRUE(status);
  EXPECT_EQ(GetParam(), WTERMSIG(*status));
  if (GetParam() != SIGKILL) {
    EXPECT_TRUE(terminal.is_sane());
  }
  EXPECT_TRUE(newest()["runs"].boolean());
  Terminal back(loop({"attach", "left"}));
  ASSERT_TRUE(back.expect("ready"));
  back.type("again\r");
  EXPECT_TRUE(back.expect("got again"));
  back.type("\x1c");
  EXPECT_EQ(W_EXITCODE(130, 0), back.wait_exit());
}

INSTANTIATE_TEST_SUITE_P(By, LoopSignal, testing::Values(SIGTERM, SIGHUP, SIGKILL));

TEST_F(LoopTest, AtATerminalWithoutPtyTheTwoKeysStillEndTheLoop) {
  agent("echo ready; exec sleep 1000");
  Terminal terminal(loop({"--no-pty"}));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("nothing\x03");
  EXPECT_EQ(W_EXITCODE(130, 0), terminal.wait_exit());
  EXPECT_THAT(terminal.output(), HasSubstr("interrupted"));
  EXPECT_THAT(terminal.output(), Not(HasSubstr("[process exited")));
  EXPECT_TRUE(terminal.is_sane());
}

TEST_F(LoopTest, AStopGoesToTheNextDaemonIfThisOneIsGone) {
  agent(kListener);
  Terminal terminal(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(terminal.expect("ready"));
  ASSERT_EQ(0, says("daemon stop").code);
  terminal.type("\x1c");
  EXPECT_EQ(W_EXITCODE(130, 0), terminal.wait_exit());
}

TEST_F(LoopTest, OnlyANamedKeyDetaches) {
  agent(kListener);
  Terminal terminal(loop({"--pty", "--idle-timeout", "0", "-n", "away", "--detach-key", "ctrl-o"}));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("\x1d\r");
  ASSERT_TRUE(terminal.expect("got \x1d")) << "Ctrl+] is the agent's";
  terminal.type("\x0f");
  EXPECT_EQ(0, terminal.wait_exit());
  EXPECT_THAT(terminal.output(), HasSubstr("[detached from away; the loop goes on: tend loop attach away]"));
  EXPECT_EQ(0, says("loop stop away --force").code);
}

}  // namespace
}  // namespace cli
