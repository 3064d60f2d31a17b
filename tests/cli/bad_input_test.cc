// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong is said in one line, with a documented exit code, on a terminal that still works.
#include <algorithm>
#include <ostream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tend_home.h"

namespace cli {
namespace {

using support::Terminal;

struct Wrong {
  const char* what;
  std::vector<std::string> arguments;
  int code;
  std::string line;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.line; }

class Refuses : public TendTest, public testing::WithParamInterface<Wrong> {};

TEST_P(Refuses, InOneLine) {
  Terminal terminal(tend(GetParam().arguments));
  const termios before = terminal.settings();
  EXPECT_EQ(W_EXITCODE(GetParam().code, 0), terminal.wait_exit());
  EXPECT_EQ("tend: " + GetParam().line + "\r\n", terminal.output());
  EXPECT_TRUE(support::same_settings(before, terminal.settings()));
  EXPECT_TRUE(no_keeper_is_left());
}

INSTANTIATE_TEST_SUITE_P(
    What, Refuses,
    testing::Values(
        Wrong{"NoProgram", {"run", "--", "vmi"}, 1, "cannot start vmi: No such file or directory"},
        Wrong{
            "NotExecutable", {"run", "--", "/etc/passwd"}, 1, "cannot start /etc/passwd: Permission denied"},
        Wrong{"NoFolder",
              {"run", "--cwd", "/no/where", "--", "ls"},
              1,
              "cannot enter /no/where: No such file or directory"},
        Wrong{"AFileAsFolder",
              {"run", "--cwd", "/etc/passwd", "--", "ls"},
              1,
              "cannot enter /etc/passwd: Not a directory"},
        Wrong{"NoCommand", {"run"}, 2, "command is required; try 'tend run --help'"},
        Wrong{"EmptyCommand", {"run", "--", ""}, 2, "the command is empty"},
        Wrong{"BadSize",
              {"run", "--size", "80", "--", "ls"},
              2,
              "--size is COLSxROWS, each from 1 to 1000, as in 120x30"},
        Wrong{"ZeroSize",
              {"run", "--size", "0x0", "--", "ls"},
              2,
              "--size is COLSxROWS, each from 1 to 1000, as in 120x30"},
        Wrong{"UnknownCommand", {"rnu", "--", "ls"}, 2, "there is no command 'rnu'; try 'tend --help'"},
        Wrong{"ControlCharacters",
              {"run", "--", "\x1b[31mred"},
              1,
              "cannot start \\x1b[31mred: No such file or directory"}),
    [](const auto& wrong) { return wrong.param.what; });

TEST_F(TendTest, RefusesAHomeThatOthersMayEnter) {
  const std::string folder = home_.file("run");
  ASSERT_EQ(0, ::mkdir(folder.c_str(), 0700));
  ASSERT_EQ(0, ::mkdir((folder + "/keepers").c_str(), 0700));
  ASSERT_EQ(0, ::chmod((folder + "/keepers").c_str(), 0777));
  Terminal terminal(tend({"run", "--", "ls"}));
  EXPECT_TRUE(terminal.expect("tend: the daemon cannot start: "));
  EXPECT_TRUE(terminal.expect("is open to other users (chmod 700 "));
  EXPECT_EQ(W_EXITCODE(4, 0), terminal.wait_exit());
}

TEST_F(TendTest, SaysThatNoDescriptorsAreLeft) {
  Terminal terminal(shell("ulimit -n 6; $TEND run -- ls; echo code $?"));
  EXPECT_TRUE(terminal.expect("Too many open files\r\ncode 4"));
  EXPECT_TRUE(terminal.is_sane());
}

// The daemon of that namespace talks to nobody outside of it, so it is stopped inside.
// In a mount namespace with a devpts of its own that has one terminal to give, and that one is taken. Where
// the system gives ordinary users no such namespace, only root can see this.
TEST_F(TendTest, SaysThatNoTerminalsAreLeft) {
  Terminal terminal(shell(
      "U='unshare --mount'; [ $(id -u) = 0 ] || U=\"$U --map-root-user\"; $U true || { echo no namespace; "
      "exit; }; "
      "exec $U bash -c 'mount -t devpts -o newinstance,max=1,ptmxmode=0666 none "
      "/dev/pts && mount --bind /dev/pts/ptmx /dev/ptmx && exec 9<>/dev/ptmx && $TEND run -- ls; echo code "
      "$?; $TEND daemon stop --kill; rm -r $TEND_HOME/run'"));
  ASSERT_TRUE(terminal.wait_exit());
  if (terminal.output().find("no namespace") != std::string::npos) {
    ASSERT_NE(0U, ::geteuid()) << terminal.output();
    return;
  }
  EXPECT_TRUE(terminal.expect("tend: no terminals left (see /proc/sys/kernel/pty/max)"));
  EXPECT_TRUE(terminal.expect("code 1"));
}

TEST_F(TendTest, SaysWhereTheDaemonAndTheKeeperShouldBe) {
  const support::TempDir elsewhere;
  std::filesystem::copy_file(TEND, elsewhere.file("tend"));
  support::Start start = tend({"run", "--", "ls"});
  start.argv[0] = elsewhere.file("tend");
  Terminal without_daemon(start);
  EXPECT_TRUE(without_daemon.expect(
      "tend: tend-daemon is neither beside tend nor in its libexec folder; install tend again\r\n"));
  EXPECT_EQ(W_EXITCODE(4, 0), without_daemon.wait_exit());

  std::filesystem::copy_file(TEND_DAEMON, elsewhere.file("tend-daemon"));
  Terminal without_keeper(start);
  EXPECT_TRUE(without_keeper.expect(
      "tend: the daemon cannot start: tend-keeper is neither beside tend nor in its libexec folder; install "
      "tend again\r\n"));
  EXPECT_EQ(W_EXITCODE(4, 0), without_keeper.wait_exit());
}

TEST_F(TendTest, AReadOnlyHomeIsAnErrorAndNothingElse) {
  support::Start start = tend({"run", "--", "ls"});
  start.env["TEND_HOME"] = "/proc/tend";
  Terminal terminal(start);
  EXPECT_TRUE(terminal.expect(
      "tend: the daemon cannot start: cannot make /proc/tend: No such file or directory\r\n"));
  EXPECT_EQ(W_EXITCODE(4, 0), terminal.wait_exit());
}

}  // namespace
}  // namespace cli
