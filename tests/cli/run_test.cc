// SPDX-License-Identifier: Apache-2.0
// tend run as a person meets it: the real program at a real terminal.
#include <algorithm>
#include <signal.h>
#include <sys/wait.h>

#include "tend_home.h"

namespace cli {
namespace {

using support::same_settings;
using support::Terminal;
using support::wait_until;

// What tend says on a terminal when the program has ended (Table 8-1).
std::string exit_notice(int code) {
  return "\r\n\x1b[2m[process exited (code " + std::to_string(code) + ")]\x1b[0m\r\n";
}

TEST_F(TendTest, RunPassesTheProgramsStatusOn) {
  for (const int code : {0, 1, 7, 255}) {
    Terminal terminal(tend({"run", "--", "sh", "-c", "exit " + std::to_string(code)}));
    EXPECT_EQ(W_EXITCODE(code, 0), terminal.wait_exit());
  }
  Terminal killed(tend({"run", "--", "sh", "-c", "kill -9 $$"}));
  EXPECT_EQ(W_EXITCODE(137, 0), killed.wait_exit());
  EXPECT_TRUE(no_keeper_is_left());
}

TEST_F(TendTest, RunShowsEveryByteThatTheProgramWrites) {
  Terminal terminal(tend({"run", "--", "seq", "1", "100000"}));
  ASSERT_EQ(0, terminal.wait_exit());
  std::string expected;
  for (int i = 1; i <= 100'000; i++) expected += std::to_string(i) + "\r\n";
  expected += exit_notice(0);
  // Not EXPECT_EQ: it would look for the edits between two texts of this size, in memory.
  EXPECT_TRUE(expected == terminal.output())
      << terminal.output().size() << " bytes instead of " << expected.size();
}

TEST_F(TendTest, RunBringsKeysToTheProgramAndLeavesTheTerminalAsItWas) {
  Terminal terminal(tend({"run", "--", "sh", "-c", "read line; echo got $line"}));
  const termios before = terminal.settings();
  ASSERT_TRUE(wait_until([&] { return terminal.is_raw(); }));
  terminal.type("blue\r");
  EXPECT_TRUE(terminal.expect("got blue"));
  ASSERT_EQ(0, terminal.wait_exit());
  EXPECT_TRUE(same_settings(before, terminal.settings()));
}

TEST_F(TendTest, RunGivesTheProgramTheWindowAndItsChanges) {
  support::Start start =
      tend({"run", "--", "bash", "-c",
            "stty size; trap 'stty size' WINCH; echo ready; until read -t 0.1; do :; done"});
  start.cols = 91;
  start.rows = 17;
  Terminal terminal(start);
  ASSERT_TRUE(terminal.expect("17 91"));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.resize(132, 43);
  EXPECT_TRUE(terminal.expect("43 132"));
}

TEST_F(TendTest, RunCanFixTheSize) {
  Terminal terminal(tend({"run", "--size", "100x20", "--", "stty", "size"}));
  EXPECT_TRUE(terminal.expect("20 100"));
}

TEST_F(TendTest, RunStartsInTheFolderOfTheUserOrTheOneThatIsNamed) {
  const support::TempDir folder;
  support::Start start = tend({"run", "--", "pwd"});
  start.cwd = folder.path().string();
  Terminal here(start);
  EXPECT_TRUE(here.expect(folder.path().string()));
  Terminal there(tend({"run", "--cwd", folder.path().string(), "--", "pwd"}));
  EXPECT_TRUE(there.expect(folder.path().string()));
}

TEST_F(TendTest, RunGivesTheProgramTheUsersEnvironmentAndUmask) {
  support::Start start = tend({"run", "--", "sh", "-c", "echo [$COLOUR] [$(umask)]"});
  start.env["COLOUR"] = "red";
  Terminal terminal(start);
  EXPECT_TRUE(terminal.expect("[red] [0022]"));
}

// What a pager or an editor sends to the terminal is the same with tend in between, key by key.
TEST_F(TendTest, AProgramOfTheWholeScreenSendsTheSameThroughTend) {
  std::string text;
  for (int i = 1; i <= 200; i++) text += "line " + std::to_string(i) + "\n";
  const std::string file = home_.file("text");
  support::write_file(file, text);
  const auto session = [&](support::Start start) {
    Terminal terminal(start);
    EXPECT_TRUE(terminal.expect("line 23"));
    terminal.type(" ");
    EXPECT_TRUE(terminal.expect("line 46"));
    terminal.type("G");
    EXPECT_TRUE(terminal.expect("line 200"));
    terminal.type("q");
    EXPECT_EQ(0, terminal.wait_exit());
    EXPECT_TRUE(terminal.is_sane());
    return terminal.output();
  };
  support::Start plain{.argv = {"less", file}, .env = environment()};
  EXPECT_EQ(session(plain) + exit_notice(0), session(tend({"run", "--", "less", file})));
  std::filesystem::remove(file);
}

TEST_F(TendTest, AShellInsideHasItsOwnJobControl) {
  Terminal terminal(tend({"run", "--", "bash", "--norc", "--noprofile", "-i"}));
  ASSERT_TRUE(terminal.expect("$ "));
  terminal.type("sh -c 'echo start''ed; exec sleep 1000'\r");
  ASSERT_TRUE(terminal.expect("started"));
  terminal.type("\x1a");
  EXPECT_TRUE(terminal.expect("Stopped"));
  terminal.type("kill %1; wait; exit 5\r");
  terminal.type("exit 5\r");
  EXPECT_EQ(W_EXITCODE(5, 0), terminal.wait_exit());
}

TEST_F(TendTest, ControlCReachesTheProgramAndNotTend) {
  Terminal terminal(
      tend({"run", "--", "bash", "-c", "trap 'echo interrupted; exit 3' INT; echo ready; cat"}));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.expect("interrupted"));
  EXPECT_EQ(W_EXITCODE(3, 0), terminal.wait_exit());
}

TEST_F(TendTest, IsSuspendedAndResumedLikeTheProgramItself) {
  const std::string file = home_.file("text");
  std::string text;
  for (int i = 1; i <= 200; i++) text += "line " + std::to_string(i) + "\n";
  support::write_file(file, text);
  Terminal terminal(interactive_shell());
  ASSERT_TRUE(terminal.expect("ready> "));
  const termios before = terminal.settings();
  terminal.type("$TEND run -- less " + file + "\r");
  ASSERT_TRUE(terminal.expect("line 23"));
  terminal.type("\x1a");
  ASSERT_TRUE(terminal.expect("\x1b[?1049l")) << "off the program's screen";
  ASSERT_TRUE(terminal.expect("Stopped"));
  ASSERT_TRUE(terminal.expect("ready> "));
  EXPECT_TRUE(same_settings(before, terminal.settings()));
  terminal.type("fg\r");
  ASSERT_TRUE(terminal.expect("\x1b[?1049h"));
  ASSERT_TRUE(terminal.expect("line 22")) << "drawn again";
  terminal.type("q");
  ASSERT_TRUE(terminal.expect("ready> "));
  std::filesystem::remove(file);
}

TEST_F(TendTest, AStopFromOutsideGivesTheTerminalBackToo) {
  Terminal terminal(interactive_shell());
  ASSERT_TRUE(terminal.expect("ready> "));
  terminal.type("$TEND run -- sh -c 'stty -isig; echo inside; cat'\r");
  ASSERT_TRUE(terminal.expect("inside\r\n"));
  terminal.type("\x1a");
  ASSERT_TRUE(terminal.expect("^Z")) << "a key like any other for this program";
  ::killpg(::tcgetpgrp(terminal.master()), SIGTSTP);
  ASSERT_TRUE(terminal.expect("Stopped"));
  ASSERT_TRUE(terminal.expect("ready> "));
  terminal.type("fg\r");
  ASSERT_TRUE(wait_until([&] { return terminal.is_raw(); }));
  terminal.type("back\r");
  EXPECT_TRUE(
      terminal.expect("\x1a"
                      "back\r\n"))
      << "the program has read the key and what came after the stop";
}

TEST_F(TendTest, WhatTheProgramLeftOnIsTurnedOff) {
  Terminal terminal(tend({"run", "--", "printf", "\\033[?1049h\\033[?2004h\\033[?1003h\\033[?25lbye"}));
  ASSERT_EQ(0, terminal.wait_exit());
  const std::string& output = terminal.output();
  const size_t end = output.find("bye");
  ASSERT_NE(std::string::npos, end);
  for (const char* off : {"\x1b[?1049l", "\x1b[?2004l", "\x1b[?1003l", "\x1b[?25h"})
    EXPECT_NE(std::string::npos, output.find(off, end)) << off + 1;
}

TEST_F(TendTest, WorksInAPipeToo) {
  Terminal terminal(
      shell("echo one two | $TEND run -- wc -w | cat; seq 1 1000 | $TEND run -- tail -1 | tail -1; exit 0"));
  EXPECT_TRUE(terminal.expect("2\r"));
  EXPECT_TRUE(terminal.expect("1000\r"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(TendTest, AReaderThatHasEnoughEndsTheSession) {
  Terminal terminal(shell("$TEND run -- yes | head -1; echo then"));
  EXPECT_TRUE(terminal.expect("y\r\nthen"));
  EXPECT_TRUE(no_keeper_is_left());
}

// A lost client is a detach: its terminal is as it was, the program goes on, and only `tend kill` ends it,
// even one that will not go.
class RunKilled : public TendTest, public testing::WithParamInterface<int> {};

TEST_P(RunKilled, LeavesTheProgramRunningUntilItIsKilled) {
  const std::string file = work_.file("pid");
  Terminal terminal(
      tend({"run", "-n", "stubborn", "--", "bash", "-c",
            "trap '' TERM HUP; echo $$ > " + file + "; echo ready; while :; do sleep 0.1; done"}));
  ASSERT_TRUE(terminal.expect("ready"));
  const pid_t program = std::stoi(support::read_file(file));
  terminal.signal(GetParam());
  const auto status = terminal.wait_exit();
  ASSERT_TRUE(status);
  EXPECT_EQ(GetParam(), WTERMSIG(*status));
  if (GetParam() != SIGKILL) {
    EXPECT_TRUE(terminal.is_sane());
  }
  EXPECT_TRUE(wait_until([&] { return says("ls --json").out.find("\"clients\":0") != std::string::npos; }));
  EXPECT_EQ(0, ::kill(program, 0)) << "it goes on";
  EXPECT_EQ(0, says("kill --force stubborn").code);
  EXPECT_TRUE(wait_until([&] { return ::kill(program, 0) != 0; })) << "the keeper ends what it keeps";
  EXPECT_TRUE(no_keeper_is_left());
}

INSTANTIATE_TEST_SUITE_P(By, RunKilled, testing::Values(SIGTERM, SIGHUP, SIGKILL, SIGSEGV));

TEST_F(TendTest, ASlowTerminalHoldsTheProgramUpAndNotTheKeys) {
  Terminal terminal(tend({"run", "--", "bash", "-c",
                          "trap 'printf \"\\nstopped at $i\\n\"; exit 4' INT; i=0; while :; do "
                          "i=$((i+1)); echo $i; done"}));
  // Nothing is read here until the key has been sent: everything between is full by then.
  ASSERT_TRUE(wait_until([&] { return terminal.is_raw(); }));
  ASSERT_TRUE(terminal.expect("1000\r\n"));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.expect("stopped at"));
  EXPECT_EQ(W_EXITCODE(4, 0), terminal.wait_exit());
}

}  // namespace
}  // namespace cli
