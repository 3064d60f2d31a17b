// SPDX-License-Identifier: Apache-2.0
#include "store/coalescer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace store {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;

base::Moment at(int64_t ms) { return base::Moment(milliseconds(ms)); }

AuditEntry read_by(const std::string& agent, int64_t ms, int64_t pty = 0) {
  AuditEntry made;
  made.at = ms * 1000;
  made.session = "s";
  made.pty = pty;
  made.action = "read";
  made.agent = agent;
  made.channel = "mcp";
  return made;
}

AuditEntry keys(int64_t ms, int64_t bytes) {
  AuditEntry made = read_by("ann", ms);
  made.action = "keys";
  made.count = bytes;
  return made;
}

AuditEntry write_by(const std::string& agent, int64_t ms) {
  AuditEntry made = read_by(agent, ms);
  made.action = "write";
  return made;
}

TEST(AuditCoalescer, EqualReadsWithinASecondAreOneRow) {
  AuditCoalescer coalescer;
  for (const int64_t ms : {0, 300, 600, 999}) EXPECT_THAT(coalescer.add(read_by("a", ms), at(ms)), IsEmpty());
  EXPECT_EQ(at(1000), coalescer.next_due().value());
  EXPECT_THAT(coalescer.take_due(at(999)), IsEmpty());
  const auto ready = coalescer.take_due(at(1000));
  ASSERT_EQ(1U, ready.size());
  EXPECT_EQ(4, ready[0].count);
  EXPECT_EQ(0, ready[0].at);
  EXPECT_EQ(999'000, ready[0].until.value());
  EXPECT_FALSE(coalescer.next_due());
}

TEST(AuditCoalescer, ASingleReadKeepsItsCountAndHasNoLastTime) {
  AuditCoalescer coalescer;
  coalescer.add(read_by("a", 5), at(5));
  const auto ready = coalescer.take_all();
  ASSERT_EQ(1U, ready.size());
  EXPECT_EQ(read_by("a", 5), ready[0]);
}

TEST(AuditCoalescer, AReadAfterASecondBeginsANewRow) {
  AuditCoalescer coalescer;
  coalescer.add(read_by("a", 0), at(0));
  const auto ready = coalescer.add(read_by("a", 1000), at(1000));
  ASSERT_EQ(1U, ready.size());
  EXPECT_EQ(0, ready[0].at);
  EXPECT_EQ(at(2000), coalescer.next_due().value());
}

TEST(AuditCoalescer, WhateverDiffersIsARowOfItsOwn) {
  AuditCoalescer coalescer;
  AuditEntry other_session = read_by("a", 0);
  other_session.session = "t";
  AuditEntry other_channel = read_by("a", 0);
  other_channel.channel = "cli";
  AuditEntry other_result = read_by("a", 0);
  other_result.result = "PTY_TIMEOUT";
  AuditEntry other_action = read_by("a", 0);
  other_action.action = "screen";
  for (const AuditEntry& entry : {read_by("a", 0), read_by("b", 0), read_by("a", 0, 1), other_session,
                                  other_channel, other_result, other_action})
    EXPECT_THAT(coalescer.add(entry, at(0)), IsEmpty());
  EXPECT_EQ(7U, coalescer.take_all().size());
}

TEST(AuditCoalescer, KeysGatherForFiveSecondsAndCountTheirBytes) {
  AuditCoalescer coalescer;
  for (const int64_t ms : {0, 2000, 4999}) EXPECT_THAT(coalescer.add(keys(ms, 3), at(ms)), IsEmpty());
  EXPECT_THAT(coalescer.take_due(at(4999)), IsEmpty());
  const auto ready = coalescer.take_due(at(5000));
  ASSERT_EQ(1U, ready.size());
  EXPECT_EQ(9, ready[0].count);
  EXPECT_FALSE(ready[0].bytes);
}

TEST(AuditCoalescer, RecordedKeystrokesFollowEachOtherUpToABound) {
  AuditCoalescer coalescer;
  AuditEntry first = keys(0, 2);
  first.bytes = "ls";
  AuditEntry second = keys(1, 1);
  second.bytes = "\r";
  coalescer.add(first, at(0));
  coalescer.add(second, at(1));
  EXPECT_EQ("ls\r", coalescer.take_all()[0].bytes.value());

  AuditEntry large = keys(2, 10'000);
  large.bytes = std::string(10'000, 'x');
  EXPECT_THAT(coalescer.add(large, at(2)), IsEmpty());
  EXPECT_EQ(1U, coalescer.add(large, at(3)).size());
  EXPECT_FALSE(coalescer.next_due());
}

TEST(AuditCoalescer, AnActionComesAtOnceBehindWhatWasSeenBeforeIt) {
  AuditCoalescer coalescer;
  coalescer.add(read_by("a", 0), at(0));
  coalescer.add(read_by("a", 0, 1), at(0));
  const auto ready = coalescer.add(write_by("a", 10), at(10));
  ASSERT_EQ(2U, ready.size());
  EXPECT_EQ("read", ready[0].action);
  EXPECT_EQ("write", ready[1].action);
  EXPECT_EQ(1U, coalescer.take_all().size());  // of the other PTY
}

TEST(AuditCoalescer, AnActionOnTheSessionTakesOutAllOfItsPtys) {
  AuditCoalescer coalescer;
  coalescer.add(read_by("a", 0, 0), at(0));
  coalescer.add(keys(0, 1), at(0));
  AuditEntry kill = write_by("a", 10);
  kill.action = "kill";
  kill.pty.reset();
  EXPECT_EQ(3U, coalescer.add(kill, at(10)).size());
  EXPECT_FALSE(coalescer.next_due());
}

TEST(AuditCoalescer, TheNearestTimeIsTheNextDue) {
  AuditCoalescer coalescer;
  coalescer.add(keys(0, 1), at(0));
  coalescer.add(read_by("a", 100), at(100));
  EXPECT_EQ(at(1100), coalescer.next_due().value());
  EXPECT_EQ("read", coalescer.take_due(at(1100)).at(0).action);
  EXPECT_EQ(at(5000), coalescer.next_due().value());
}

TEST(AuditCoalescer, TheOldestComesOutEarlyAtTheBound) {
  AuditCoalescer coalescer;
  size_t ready = 0;
  for (size_t i = 0; i < AuditCoalescer::kMostWaiting + 10; i++)
    ready += coalescer.add(read_by("agent" + std::to_string(i), 0), at(0)).size();
  EXPECT_EQ(10U, ready);
  EXPECT_EQ("agent10", coalescer.take_all().at(0).agent);
}

}  // namespace
}  // namespace store
