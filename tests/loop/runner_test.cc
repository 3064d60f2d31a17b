// SPDX-License-Identifier: Apache-2.0
// The runner with agents in a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop_fixture.h"
#include "wire/params.h"

namespace {

using loop_test::LoopStart;
using loop_test::LoopTest;
using testing::HasSubstr;
namespace json = wire::json;

class RunnerTest : public LoopTest {};

TEST_F(RunnerTest, RunsTheAgentAgainAndAgainUntilThePromiseIsKept) {
  start({.agent = "keeps-on-last", .args = {home_.file("runs"), "3"}});
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(why(), "promise kept");
  EXPECT_EQ(support::read_file(home_.file("runs")), "run\nrun\nrun\n");
  EXPECT_EQ(number_of("ended", "iterations"), 3);
  EXPECT_EQ(events("iteration.started").size(), 3U);
  ASSERT_EQ(events("event").size(), 3U);
  EXPECT_EQ(text_of("event", "topic"), "run.done");
  EXPECT_EQ(text_of("event", "target"), "counter");
  EXPECT_EQ(text_of("event", "payload"), "3");
  EXPECT_THAT(text(2), HasSubstr("run 2, told: do it\n"));
  EXPECT_THAT(text_of("ended", "summary"), HasSubstr("promise kept after 3 iterations"));
}

TEST_F(RunnerTest, IterationsAreUsedUpWhereThePromiseIsOnlyMentioned) {
  start({.agent = "mentions-promise", .settings = {"event_loop.max_iterations=2"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(why(), "iterations used up");
  EXPECT_EQ(number_of("ended", "iterations"), 2);
}

TEST_F(RunnerTest, SeesThePromiseThroughColoursAndBoxes) {
  start({.agent = "ansi"});
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(number_of("ended", "iterations"), 1);
}

TEST_F(RunnerTest, TooManyFailuresInARowAreTheEnd) {
  start({.agent = "crashes", .settings = {"event_loop.max_consecutive_failures=2"}});
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(why(), "too many failures");
  EXPECT_EQ(number_of("iteration.ended", "signal"), SIGSEGV);
  EXPECT_EQ(text_of("iteration.ended", "how"), "exit");
}

TEST_F(RunnerTest, AProgramThatCannotBeExecutedIsAFailedIteration) {
  start({.agent = "/nowhere/agent", .settings = {"event_loop.max_consecutive_failures=2"}});
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(text_of("iteration.ended", "how"), "spawn failed");
  EXPECT_EQ(events("iteration.ended").size(), 2U);
}

TEST_F(RunnerTest, AnAgentThatExitsAtOnceIsNotMissed) {
  start({.agent = "exits-at-once", .args = {"0"}, .settings = {"event_loop.max_iterations=20"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(events("iteration.ended").size(), 20U);
}

TEST_F(RunnerTest, ASilentAgentIsIdleAndEnded) {
  start({.agent = "silent", .settings = {"event_loop.max_iterations=1", "cli.idle_timeout_secs=1"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(text_of("iteration.ended", "how"), "idle");
  EXPECT_EQ(number_of("iteration.ended", "signal"), SIGTERM);
  EXPECT_EQ(events("idle").size(), 1U);
  auto asker = peer();
  EXPECT_TRUE(prints(asker, session_, "idle for 1 s, sent SIGTERM", 0));
}

TEST_F(RunnerTest, AnAgentThatReadsAndAsksNothingIsIdleToo) {
  start({.agent = "reads", .settings = {"event_loop.max_iterations=1", "cli.idle_timeout_secs=3"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(text_of("iteration.ended", "how"), "idle");
  EXPECT_EQ(events("prompt").size(), 0U);
}

TEST_F(RunnerTest, OutputKeepsAnAgentFromBeingIdle) {
  start({.agent = "chatty", .args = {"4", "0.5"}, .settings = {"cli.idle_timeout_secs=1"}});
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(events("idle").size(), 0U);
}

TEST_F(RunnerTest, KeysKeepAnAgentFromBeingIdle) {
  start({.agent = "silent", .settings = {"event_loop.max_iterations=1", "cli.idle_timeout_secs=1"}});
  auto person = peer();
  ASSERT_TRUE(comes("iteration.started"));
  ASSERT_TRUE(support::wait_until([&] { return pid_of(1) != 0; }));
  const auto begin = std::chrono::steady_clock::now();
  // No echo: then it would be output.
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2500) &&
         events("idle").empty()) {
    person.ok("pty.write", {{"session", session_}, {"pty", 1}, {"data", "\x0f"}});
    support::wait_until([] { return false; }, std::chrono::milliseconds(300));
  }
  EXPECT_TRUE(events("idle").empty());
  EXPECT_EQ(finish(), 5);
}

TEST_F(RunnerTest, APromptHoldsTheIdleTimeUntilItIsAnswered) {
  start({.agent = "asks", .settings = {"cli.idle_timeout_secs=2"}});
  ASSERT_TRUE(comes("prompt"));
  EXPECT_THAT(text_of("prompt", "question"), HasSubstr("Shall I go on?"));
  // Longer than the timeout.
  EXPECT_FALSE(
      support::wait_until([&] { return !events("iteration.ended").empty(); }, std::chrono::seconds(3)));
  peer().ok("pty.write", {{"session", session_}, {"pty", 1}, {"data", "y"}, {"enter", true}});
  EXPECT_EQ(finish(), 0);
}

TEST_F(RunnerTest, APromptIsIgnoredWhereTheSettingsSaySo) {
  start({.agent = "asks",
         .settings = {"cli.idle_timeout_secs=1", "event_loop.on_prompt=ignore",
                      "event_loop.max_iterations=1"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(text_of("iteration.ended", "how"), "idle");
}

TEST_F(RunnerTest, WhatAnAgentLeavesBehindIsEnded) {
  const std::string file = home_.file("pids");
  start({.agent = "forks-setsid", .args = {file}, .settings = {"event_loop.max_iterations=1"}});
  EXPECT_EQ(finish(), 5);
  const pid_t child = std::stoi(support::read_file(file));
  EXPECT_FALSE(living(child));
}

TEST_F(RunnerTest, AnInterruptEndsAgentAndLoop) {
  start({.agent = "silent"});
  ASSERT_TRUE(support::wait_until([&] { return pid_of(1) != 0; }));
  const pid_t agent = pid_of(1);
  peer().ok("pty.write", {{"session", session_}, {"pty", 0}, {"data", "\x03"}});
  EXPECT_EQ(finish(), 130);
  EXPECT_EQ(why(), "interrupted");
  EXPECT_EQ(text_of("iteration.ended", "how"), "interrupted");
  EXPECT_FALSE(living(agent));
  auto asker = peer();
  EXPECT_TRUE(becomes(asker, session_, "dead", 0));
}

TEST_F(RunnerTest, QuitKillsAtOnceAlsoDuringTheGrace) {
  start({.agent = "ignores-sigterm", .settings = {"cli.idle_timeout_secs=0"}});
  auto person = peer();
  ASSERT_TRUE(support::wait_until([&] { return pid_of(1) != 0; }));
  ASSERT_TRUE(prints(person, session_, "pid", 1));
  const pid_t agent = pid_of(1);
  const auto begin = std::chrono::steady_clock::now();
  person.ok("pty.write", {{"session", session_}, {"pty", 0}, {"data", "\x03"}});
  person.ok("pty.write", {{"session", session_}, {"pty", 0}, {"data", "\x1c"}});
  EXPECT_EQ(finish(), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  EXPECT_EQ(text_of("iteration.ended", "how"), "killed");
  EXPECT_FALSE(living(agent));
}

TEST_F(RunnerTest, AStopEndsTheLoopWithOneEvenIfTheAgentIgnoresIt) {
  start({.agent = "ignores-sigterm", .settings = {"cli.idle_timeout_secs=0"}});
  auto person = peer();
  ASSERT_TRUE(support::wait_until([&] { return pid_of(1) != 0; }));
  ASSERT_TRUE(prints(person, session_, "pid", 1));
  const pid_t agent = pid_of(1);
  person.ok("pty.kill", {{"session", session_}, {"pty", 0}});
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(why(), "stopped");
  EXPECT_FALSE(living(agent));
}

TEST_F(RunnerTest, TheRuntimeCutsAnIterationShort) {
  start({.agent = "silent", .settings = {"event_loop.max_runtime_seconds=1"}});
  EXPECT_EQ(finish(), 5);
  EXPECT_EQ(why(), "time used up");
  EXPECT_EQ(text_of("iteration.ended", "how"), "runtime");
}

TEST_F(RunnerTest, ThePromptIsTypedWhereTheAgentReadsItFromItsTerminal) {
  start({.agent = "reads-prompt", .settings = {"cli.prompt_mode=stdin"}});
  EXPECT_EQ(finish(), 0);
  EXPECT_THAT(text(1), HasSubstr("heard: do it"));
}

TEST_F(RunnerTest, ThePromptFileIsReadAnewForEachIteration) {
  write("PROMPT.md", "first words");
  start({.agent = "keeps-on-last",
         .args = {home_.file("runs"), "2"},
         .settings = {"event_loop.cooldown_delay_seconds=1"},
         .prompt = ""});
  ASSERT_TRUE(comes("iteration.ended"));
  write("PROMPT.md", "second words");
  EXPECT_EQ(finish(), 0);
  EXPECT_THAT(text(1), HasSubstr("told: first words"));
  EXPECT_THAT(text(2), HasSubstr("told: second words"));
}

TEST_F(RunnerTest, ALoopWithoutAPromptEndsBeforeItsFirstIteration) {
  start({.agent = "silent", .prompt = ""});
  EXPECT_EQ(finish(), 1);
  EXPECT_EQ(why(), "error");
  EXPECT_THAT(text_of("ended", "summary"), HasSubstr("cannot read the prompt from"));
  EXPECT_TRUE(events("iteration.started").empty());
}

TEST_F(RunnerTest, ALongPromptGoesIntoAFileThatTheAgentIsAskedToRead) {
  write("PROMPT.md", std::string(9000, 'x'));
  start({.agent = "keeps-on-last", .args = {home_.file("runs"), "1"}, .prompt = ""});
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(support::read_file(folder_ + "/prompt-0001.txt"), std::string(9000, 'x'));
  std::string told = text(1);
  std::erase(told, '\n');
  EXPECT_THAT(told, HasSubstr("prompt-0001.txt"));
}

}  // namespace
