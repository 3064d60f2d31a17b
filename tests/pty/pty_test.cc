// SPDX-License-Identifier: Apache-2.0
#include "pty/pty.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "running_program.h"

namespace pty {
namespace {

using testing::HasSubstr;

TEST(ExitStatus, IsACodeOrASignal) {
  for (int code = 0; code < 256; code++)
    EXPECT_EQ((ExitStatus{code, 0}), decode_wait_status(W_EXITCODE(code, 0)));
  for (int signo = 1; signo < 32; signo++)
    EXPECT_EQ((ExitStatus{128 + signo, signo}), decode_wait_status(W_EXITCODE(0, signo)));
}

TEST(ExitStatus, IsWhatTheProgramSaid) {
  EXPECT_EQ((ExitStatus{7, 0}), RunningProgram(command({"sh", "-c", "exit 7"})).wait_exit());
  EXPECT_EQ((ExitStatus{128 + SIGKILL, SIGKILL}),
            RunningProgram(command({"sh", "-c", "kill -9 $$"})).wait_exit());
}

TEST(Resize, ReachesTheProgramAsASignal) {
  RunningProgram program(
      command({"bash", "-c", "trap 'stty size' WINCH; echo ready; while ! read -t 0.1 line; do :; done"}));
  ASSERT_TRUE(program.expect("ready"));
  ASSERT_TRUE(resize(program.master(), {132, 43}));
  EXPECT_TRUE(program.expect("43 132"));
  EXPECT_EQ((Size{132, 43}), size_of(program.master()).value());
}

TEST(Resize, RefusesWhatNoTerminalHas) {
  const auto master = open_master({});
  ASSERT_TRUE(master);
  for (const Size bad : {Size{0, 24}, Size{80, 0}, Size{1001, 24}, Size{80, 65535}}) {
    const auto done = resize(master->get(), bad);
    ASSERT_FALSE(done);
    EXPECT_EQ(base::Code::invalid_param, done.error().code);
  }
  EXPECT_FALSE(open_master({0, 0}));
}

TEST(SignalForeground, ReachesTheProgramInTheForegroundAlone) {
  RunningProgram program(command({"bash", "--norc", "-ic",
                                  "trap 'echo shell too' INT; sh -c 'trap \"exit 9\" INT; echo "
                                  "ready; while :; do sleep 0.1; done'; echo inner $?"}));
  ASSERT_TRUE(program.expect("ready"));
  ASSERT_TRUE(signal_foreground(program.master(), SIGINT));
  EXPECT_TRUE(program.expect("inner 9"));
}

TEST(SignalForeground, RefusesANumberThatIsNoSignal) {
  RunningProgram program(command({"cat"}));
  EXPECT_FALSE(signal_foreground(program.master(), 4711));
}

}  // namespace
}  // namespace pty
