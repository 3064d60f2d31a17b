// SPDX-License-Identifier: Apache-2.0
// The runner with agents behind pipes, with checks, and at usage limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop_fixture.h"
#include "wire/params.h"

namespace {

using loop::Mode;
using loop_test::LoopTest;
using testing::HasSubstr;

class HeadlessTest : public LoopTest {};

TEST_F(HeadlessTest, RunsUntilThePromiseIsKeptAndShowsWhatComes) {
  start({.agent = "keeps-on-last", .args = {home_.file("runs"), "2"}, .mode = Mode::headless});
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(events("iteration.ended").size(), 2U);
  EXPECT_EQ(events("event").size(), 2U);
  auto asker = peer();
  EXPECT_TRUE(prints(asker, session_, "run 2, told: do it\r\n", 0));
  EXPECT_TRUE(prints(asker, session_, "promise kept after 2 iterations", 0));
}

TEST_F(HeadlessTest, OutputComesWhileTheAgentWorks) {
  start({.agent = "chatty", .args = {"2", "30"}, .mode = Mode::headless});
  auto asker = peer();
  EXPECT_TRUE(prints(asker, session_, "working, step 1", 0));
  asker.ok("pty.write", {{"session", session_}, {"pty", 0}, {"data", "\x1c"}});
  EXPECT_EQ(finish(), 130);
}

TEST_F(HeadlessTest, IsNeverIdle) {
  start({.agent = "chatty",
         .args = {"1", "2.5"},
         .mode = Mode::headless,
         .settings = {"cli.idle_timeout_secs=1"}});
  EXPECT_EQ(finish(), 0);
}

TEST_F(HeadlessTest, AChildThatKeepsThePipeOpenDoesNotHoldTheLoopUp) {
  const std::string file = home_.file("pids");
  start({.agent = "forks-setsid",
         .args = {file},
         .mode = Mode::headless,
         .settings = {"event_loop.max_iterations=1"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_FALSE(living(std::stoi(support::read_file(file))));
}

TEST_F(HeadlessTest, AnInterruptEndsAnAgentThatIgnoresItAfterTheGrace) {
  start({.agent = "ignores-sigterm", .mode = Mode::headless});
  auto person = peer();
  ASSERT_TRUE(prints(person, session_, "pid ", 0));
  person.ok("pty.write", {{"session", session_}, {"pty", 0}, {"data", "\x03"}});
  EXPECT_EQ(finish(), 130);
  EXPECT_EQ(text_of("iteration.ended", "how"), "interrupted");
  EXPECT_EQ(number_of("iteration.ended", "signal"), SIGKILL);
}

TEST_F(HeadlessTest, AStopEndsTheLoop) {
  start({.agent = "silent", .mode = Mode::headless});
  ASSERT_TRUE(comes("iteration.started"));
  peer().ok("pty.kill", {{"session", session_}, {"pty", 0}});
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(why(), "stopped");
}

TEST_F(HeadlessTest, TheRuntimeCutsItShort) {
  start({.agent = "silent", .mode = Mode::headless, .settings = {"event_loop.max_runtime_seconds=1"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(text_of("iteration.ended", "how"), "runtime");
}

TEST_F(HeadlessTest, AProgramThatCannotBeExecutedIsAFailure) {
  start({.agent = "/nowhere/agent",
         .mode = Mode::headless,
         .settings = {"event_loop.max_consecutive_failures=2"}});
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(text_of("iteration.ended", "how"), "spawn failed");
}

TEST_F(HeadlessTest, ThePromptGoesToTheInputWhereItIsReadFromThere) {
  start({.agent = "reads-prompt", .mode = Mode::headless, .settings = {"cli.prompt_mode=stdin"}});
  EXPECT_EQ(finish(), 0);
  EXPECT_THAT(text(1), HasSubstr("heard: do it"));
}

TEST_F(HeadlessTest, APromiseIsBelievedOnlyIfTheCheckSucceedsAndTheAgentHearsWhy) {
  const std::string script =
      write("check.sh", "echo the check ran; if [ -e passed ]; then exit 0; fi; : >passed; exit 3\n");
  start({.agent = "keeps-on-last",
         .args = {home_.file("runs"), "1"},
         .mode = Mode::headless,
         .settings = {"event_loop.verify=sh " + script}});
  EXPECT_EQ(finish(), 0);
  const auto checks = events("verify");
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(wire::integer(checks[0], "exit_code"), 3);
  EXPECT_EQ(wire::text(checks[0], "output"), "the check ran\n");
  EXPECT_EQ(wire::integer(checks[1], "exit_code"), 0);
  EXPECT_THAT(text(2), HasSubstr("failed with exit code 3. Its output ended with:\nthe check ran\n"));
}

TEST_F(HeadlessTest, ACheckEndsWithTheRuntime) {
  start({.agent = "chatty",
         .args = {"0", "0"},
         .mode = Mode::headless,
         .settings = {"event_loop.verify=sleep 1000", "event_loop.max_runtime_seconds=2"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(why(), "time used up");
}

TEST_F(HeadlessTest, AUsageLimitIsWaitedForWithoutSpendingAnIteration) {
  start({.agent = "usage-limit",
         .args = {home_.file("limited"), "2"},
         .mode = Mode::headless,
         .settings = {"cli.backend=claude", "event_loop.max_iterations=1",
                      "event_loop.max_consecutive_failures=1"}});
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(number_of("ended", "iterations"), 1);
  ASSERT_EQ(events("limit").size(), 1U);
  EXPECT_FALSE(text_of("limit", "until").empty());
  EXPECT_EQ(wire::text(events("iteration.ended")[0], "how"), "limit");
  auto asker = peer();
  EXPECT_TRUE(prints(asker, session_, "usage limit reached, waiting until", 0));
}

TEST_F(HeadlessTest, AUsageLimitMayBeTheEnd) {
  start({.agent = "usage-limit",
         .args = {home_.file("limited"), "1000"},
         .mode = Mode::headless,
         .settings = {"cli.backend=claude", "event_loop.on_limit=stop"}});
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(why(), "usage limit");
}

TEST_F(HeadlessTest, AnInterruptEndsTheWaitForALimit) {
  start({.agent = "usage-limit",
         .args = {home_.file("limited"), "1000"},
         .mode = Mode::headless,
         .settings = {"cli.backend=claude"}});
  auto person = peer();
  ASSERT_TRUE(prints(person, session_, "waiting until", 0));
  person.ok("pty.write", {{"session", session_}, {"pty", 0}, {"data", "\x03"}});
  EXPECT_EQ(finish(), 130);
}

}  // namespace
