// SPDX-License-Identifier: Apache-2.0
// A program that leads its session, and programs that follow each other in one PTY.
#include <gmock/gmock.h>

#include "pty/termination.h"
#include "session_fixture.h"

namespace pty {
namespace {

using testing::HasSubstr;

class LeaderTest : public SessionTest {
 protected:
  base::Result<KeeperEvent> lead(uint32_t number) {
    return link_->wait_for(link_->lead(number), support::kDeadline);
  }
  base::Result<HeldPty> replace(uint32_t number, const keeper::Spawn& request) {
    auto answer = link_->wait_for(link_->replace(number, request), support::kDeadline);
    if (!answer) return base::fail(answer);
    return std::get<HeldPty>(std::move(answer->what));
  }
  bool nobody_is_left() const {
    return support::wait_until([&] { return living_members({keeper_->pid, 0}).empty(); });
  }
};

TEST_F(LeaderTest, TakesEverybodyWithIt) {
  ASSERT_TRUE(spawn(0, {"sleep", "1000"}));
  ASSERT_TRUE(lead(0));
  auto other =
      spawn(1, {"sh", "-c", "trap '' TERM HUP; setsid sleep 1000 & echo up; while :; do sleep 1; done"});
  ASSERT_TRUE(other);
  ASSERT_TRUE(pump_until(*other, "up"));
  ASSERT_TRUE(link_->wait_for(link_->signal(0, {SIGKILL, keeper::Signal::To::leader}), support::kDeadline));
  EXPECT_EQ((ExitStatus{128 + SIGKILL, SIGKILL}), wait_event<ExitStatus>(0));
  EXPECT_EQ((ExitStatus{128 + SIGKILL, SIGKILL}), wait_event<ExitStatus>(1));
  EXPECT_TRUE(nobody_is_left());
  EXPECT_FALSE(spawn(2, {"true"}));
  EXPECT_FALSE(keeper_is_gone());
}

TEST_F(LeaderTest, OneThatHasEndedAlreadyDoesSoAtOnce) {
  ASSERT_TRUE(spawn(0, {"true"}));
  ASSERT_TRUE(spawn(1, {"sleep", "1000"}));
  ASSERT_TRUE(wait_event<ExitStatus>(0));
  ASSERT_TRUE(lead(0));
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(LeaderTest, ItsEndIsHeardByTheNextHolder) {
  ASSERT_TRUE(spawn(0, {"sh", "-c", "read x; exit 7"}));
  ASSERT_TRUE(lead(0));
  auto held = spawn(1, {"sleep", "1000"});
  ASSERT_TRUE(held);
  const auto leaders = living_members({keeper_->pid, 0});
  link_.reset();
  for (const Process& each : leaders) {
    if (each.pid != held->pid) signal_process(each, SIGTERM);
  }
  EXPECT_TRUE(nobody_is_left());
  reconnect();
  EXPECT_EQ(2U, link_->welcome().ptys);
}

TEST_F(LeaderTest, AnotherProgramTakesThePlaceOfOneThatHasEnded) {
  auto first = spawn(1, {"sh", "-c", "echo first"});
  ASSERT_TRUE(first);
  ASSERT_TRUE(pump_until(*first, "first\r\n"));
  EXPECT_FALSE(replace(0, request({"true"})));
  ASSERT_TRUE(wait_event<ExitStatus>(1));
  keeper::Spawn next = request({"sh", "-c", "echo second in $PWD as $TEND_PTY $WORD"});
  next.command.cwd = dir_.path().string();
  next.command.env.emplace_back("WORD=word");
  auto second = replace(1, next);
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(1U, second->restarts);
  EXPECT_EQ(7U, second->run_offset);
  ASSERT_TRUE(pump_until(*second, "as 1 word"));
  EXPECT_THAT(all_output(*second), HasSubstr("first\r\nsecond in " + dir_.path().string()));
  EXPECT_EQ(next.command.argv, second->argv);
}

TEST_F(LeaderTest, WhatCannotBeStartedLeavesTheOldCommand) {
  ASSERT_TRUE(spawn(1, {"sh", "-c", "echo once"}));
  ASSERT_TRUE(wait_event<ExitStatus>(1));
  EXPECT_FALSE(replace(1, request({"/no/such/program"})));
  auto again = link_->wait_for(link_->respawn(1, {80, 24}), support::kDeadline);
  ASSERT_TRUE(again);
  EXPECT_EQ((std::vector<std::string>{"sh", "-c", "echo once"}), std::get<HeldPty>(again->what).argv);
}

TEST_F(LeaderTest, OneThatRunsIsNotReplaced) {
  ASSERT_TRUE(spawn(1, {"sleep", "1000"}));
  EXPECT_FALSE(replace(1, request({"true"})));
}

}  // namespace
}  // namespace pty
