// SPDX-License-Identifier: Apache-2.0
// The runner while daemons come and go, and what is left when it is killed itself.
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop_fixture.h"
#include "wire/params.h"

namespace {

using loop_test::LoopTest;
using testing::HasSubstr;

class RunnerDaemonTest : public LoopTest {
 protected:
  void kill_daemon() {
    auto asker = peer();
    const pid_t pid = daemon_pid(asker);
    ::kill(pid, SIGKILL);
    wait_for_another(pid);
  }
};

TEST_F(RunnerDaemonTest, GoesOnWithTheNextDaemonAndMissesNothing) {
  start({.agent = "chatty", .args = {"30", "0.1"}, .settings = {"cli.idle_timeout_secs=20"}});
  auto asker = peer();
  ASSERT_TRUE(support::wait_until([&] { return pid_of(1) != 0; }));
  ASSERT_TRUE(prints(asker, session_, "step 3", 1));
  const pid_t agent = pid_of(1);
  kill_daemon();
  EXPECT_EQ(pid_of(1), agent);
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(events("iteration.started").size(), 1U);
  for (int i = 1; i <= 30; i++)
    EXPECT_EQ(host_test::count_of(text(1), "working, step " + std::to_string(i) + "\n"), 1U) << i;
}

TEST_F(RunnerDaemonTest, NoIterationIsLostOrDoubledWhileDaemonsAreKilled) {
  start({.agent = "keeps-on-last",
         .args = {home_.file("runs"), "25"},
         .settings = {"event_loop.max_iterations=40"}});
  for (int i = 0; i < 5 && events("ended").empty(); i++) {
    const size_t before = events("iteration.started").size();
    support::wait_until(
        [&] { return events("iteration.started").size() > before || !events("ended").empty(); });
    kill_daemon();
  }
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(host_test::count_of(support::read_file(home_.file("runs")), "run\n"), 25U);
  EXPECT_EQ(number_of("ended", "iterations"), 25);
  EXPECT_EQ(events("event").size(), 25U);
}

TEST_F(RunnerDaemonTest, AnExitWhileThereIsNoDaemonIsLearnedFromTheNext) {
  start({.agent = "chatty", .args = {"3", "0.1"}});
  ASSERT_TRUE(comes("iteration.started"));
  kill_daemon();
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(number_of("ended", "iterations"), 1);
}

TEST_F(RunnerDaemonTest, ARunnerThatIsKilledLeavesNoProcessBehind) {
  start({.agent = "ignores-sigterm", .settings = {"cli.idle_timeout_secs=0"}});
  auto asker = peer();
  ASSERT_TRUE(support::wait_until([&] { return pid_of(1) != 0; }));
  ASSERT_TRUE(prints(asker, session_, "pid", 1));
  const pid_t agent = pid_of(1);
  ::kill(pid_of(0), SIGKILL);
  EXPECT_TRUE(support::wait_until([&] { return !living(agent); }));
  EXPECT_TRUE(events("ended").empty());
}

TEST_F(RunnerDaemonTest, HowTheLoopStandsIsToldToEveryDaemon) {
  start({.agent = "silent", .settings = {"cli.idle_timeout_secs=0"}});
  const auto reported = [&] {
    auto asker = peer();
    const auto about = session(asker, session_);
    const auto* loop = about.as_object().if_contains("loop");
    return loop != nullptr && loop->is_object() && loop->at("phase").as_string() == "running" &&
           loop->at("mode").as_string() == "pty" && loop->at("iteration").to_number<int>() == 1;
  };
  EXPECT_TRUE(support::wait_until(reported));
  kill_daemon();
  EXPECT_TRUE(support::wait_until(reported));
  peer().ok("pty.kill", {{"session", session_}, {"pty", 0}});
  EXPECT_EQ(finish(), 1);
}

}  // namespace
