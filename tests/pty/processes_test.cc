// SPDX-License-Identifier: Apache-2.0
#include "pty/processes.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "running_program.h"

namespace pty {
namespace {

TEST(Processes, AreLookedAtAsTheyAre) {
  const auto self = look_at(::getpid());
  ASSERT_TRUE(self);
  EXPECT_EQ(::getppid(), self->parent);
  EXPECT_EQ(::getsid(0), self->session);
  EXPECT_EQ('R', self->state);
  EXPECT_GT(self->started, 0U);
  const auto all = all_processes();
  EXPECT_NE(all.end(), std::find(all.begin(), all.end(), *self));
}

TEST(Processes, MayHaveNamesThatLookLikeTheRestOfTheLine) {
  char before[16];
  ::prctl(PR_GET_NAME, before);
  ::prctl(PR_SET_NAME, "a) Z 1 (2 3");
  const auto self = look_at(::getpid());
  ::prctl(PR_SET_NAME, before);
  ASSERT_TRUE(self);
  EXPECT_EQ(::getppid(), self->parent);
}

TEST(Processes, ThatAreGoneAreNotThere) { EXPECT_FALSE(look_at(0x3FFFFFFF)); }

TEST(SignalProcess, DoesNotTouchAnotherThatHasTheNumberNow) {
  RunningProgram program(
      command({"sh", "-c", "trap 'exit 5' USR1; echo ready; while :; do sleep 0.05; done"}));
  ASSERT_TRUE(program.expect("ready"));
  Process earlier = look_at(program.pid()).value();
  earlier.started--;
  EXPECT_FALSE(signal_process(earlier, SIGKILL));
  EXPECT_TRUE(signal_process(look_at(program.pid()).value(), SIGUSR1));
  EXPECT_EQ((ExitStatus{5, 0}), program.wait_exit());
}

TEST(Processes, TellWhichSignalsTheyIgnore) {
  RunningProgram program(command({"sh", "-c", "trap '' TERM; echo ready; read x"}));
  ASSERT_TRUE(program.expect("ready"));
  EXPECT_TRUE(ignores_signal(program.pid(), SIGTERM));
  EXPECT_FALSE(ignores_signal(program.pid(), SIGHUP));
  EXPECT_EQ(Hearing::takes, hearing_of(program.pid(), SIGHUP));
}

TEST(Processes, TellWhichSignalsTheyBlock) {
  RunningProgram program(command({"python3", "-c",
                                  "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {15, 1}); "
                                  "signal.signal(1, signal.SIG_IGN); print('ready'); input()"}));
  ASSERT_TRUE(program.expect("ready"));
  EXPECT_EQ(Hearing::blocks, hearing_of(program.pid(), SIGTERM));
  EXPECT_EQ(Hearing::ignores, hearing_of(program.pid(), SIGHUP));
}

}  // namespace
}  // namespace pty
