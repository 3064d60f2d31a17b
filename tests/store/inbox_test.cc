// SPDX-License-Identifier: Apache-2.0
// The inbox: who gets a message, for how long, and what becomes of it. Times are made up: nobody waits.
#include "store/inbox.h"

#include <atomic>
#include <barrier>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/ids.h"
#include "opened_store.h"
#include "store/evidence.h"
#include "store/schema.h"

namespace store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int64_t kStart = 1'800'000'000'000'000;
constexpr int64_t kMinute = 60'000'000;

class Inbox : public testing::Test {
 protected:
  std::string send(Message message = {}) {
    message.id = base::new_id();
    message.created_at = kStart;
    EXPECT_TRUE(add_message(connection_, message));
    return message.id;
  }
  std::optional<Message> claim(const std::string& by, int64_t now = kStart) {
    return claim_message(connection_, {.by = by, .id = {}, .to = {}}, now).value();
  }
  base::Result<Message> finish(const std::string& by, const std::string& id, int64_t now = kStart) {
    return finish_message(connection_, {by, id, "it is done"}, now);
  }
  Message load(const std::string& id) { return load_message(connection_, id).value().value(); }
  std::string state(const std::string& id, int64_t now) {
    EXPECT_TRUE(expire_claims(connection_, now));
    return load(id).state;
  }

  support::TempDir dir_;
  Connection connection_ = open_store_file(dir_.file("store.db")).value().connection;
};

TEST_F(Inbox, AMessageIsKeptAsItWasSent) {
  const std::string id = send({.from = "lead", .to = "worker", .subject = "tests", .body = "run them"});
  const Message message = load(id);
  EXPECT_EQ(id, message.thread);
  EXPECT_EQ("lead", message.from);
  EXPECT_EQ("worker", message.to);
  EXPECT_EQ("tests", message.subject);
  EXPECT_EQ("run them", message.body);
  EXPECT_EQ("open", message.state);
  EXPECT_EQ(kStart, message.created_at);
  EXPECT_EQ(std::nullopt, message.claimed_at);
}

TEST_F(Inbox, AnAnswerStandsInTheThreadOfTheFirstMessage) {
  const std::string first = send();
  const std::string second = send({.thread = first});
  const std::string third = send({.thread = second});
  EXPECT_EQ(first, load(third).thread);
  EXPECT_THAT(list_messages(connection_, {.to = {}, .thread = first, .state = {}}, 1 << 20).value(),
              SizeIs(3));
}

TEST_F(Inbox, AThreadThatIsNotThereIsAnError) {
  auto added = add_message(connection_, {.id = base::new_id(), .thread = "nowhere"});
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().what, HasSubstr("no thread 'nowhere'"));
  EXPECT_EQ(base::Code::invalid_param, added.error().code);
}

TEST_F(Inbox, ABodyHas64KiBAtMost) {
  EXPECT_TRUE(add_message(connection_, {.id = base::new_id(), .body = std::string(64 << 10, 'x')}));
  EXPECT_FALSE(add_message(connection_, {.id = base::new_id(), .body = std::string((64 << 10) + 1, 'x')}));
}

TEST_F(Inbox, TheOldestOpenMessageIsClaimedFirst) {
  const std::string first = send();
  const std::string second = send();
  EXPECT_EQ(first, claim("a").value().id);
  EXPECT_EQ(second, claim("b").value().id);
  EXPECT_EQ(std::nullopt, claim("c"));
}

TEST_F(Inbox, AClaimTakesWhatIsForItOrForAnybody) {
  const std::string for_b = send({.to = "b"});
  const std::string for_all = send();
  const auto claim_for = [&](const std::string& name) {
    return claim_message(connection_, {.by = name, .id = {}, .to = name}, kStart).value();
  };
  EXPECT_EQ(for_all, claim_for("a").value().id);
  EXPECT_EQ(std::nullopt, claim_for("a"));
  EXPECT_EQ(for_b, claim_for("b").value().id);
}

TEST_F(Inbox, AClaimIsRecorded) {
  const std::string id = send();
  const Message claimed = claim("a", kStart + 5).value();
  EXPECT_EQ(load(id), claimed);
  EXPECT_EQ("claimed", claimed.state);
  EXPECT_EQ("a", claimed.claimed_by);
  EXPECT_EQ(kStart + 5, claimed.claimed_at);
  EXPECT_EQ(1, claimed.claims);
}

TEST_F(Inbox, OneThatIsClaimedByIdIsGoneForOthers) {
  const std::string id = send();
  const auto claim_it = [&](const std::string& by) {
    return claim_message(connection_, {by, id, {}}, kStart);
  };
  EXPECT_TRUE(claim_it("a").value());
  EXPECT_FALSE(claim_it("b").value());
  auto none = claim_message(connection_, {"a", "nothing", {}}, kStart);
  ASSERT_FALSE(none);
  EXPECT_EQ(base::Code::invalid_param, none.error().code);
}

TEST_F(Inbox, AClaimComesBackAfterTenMinutes) {
  const std::string id = send();
  ASSERT_TRUE(claim("a"));
  EXPECT_EQ(std::nullopt, claim("b", kStart + 10 * kMinute - 1));
  const Message again = claim("b", kStart + 10 * kMinute).value();
  EXPECT_EQ(id, again.id);
  EXPECT_EQ("b", again.claimed_by);
  EXPECT_EQ(2, again.claims);
}

TEST_F(Inbox, FiveClaimsThatRunOutAreItsDeath) {
  const std::string id = send();
  int64_t now = kStart;
  for (int n = 1; n <= 5; n++) {
    ASSERT_TRUE(claim("a", now)) << n;
    EXPECT_EQ("claimed", state(id, now + 10 * kMinute - 1));
    now += 10 * kMinute;
  }
  EXPECT_EQ("dead", state(id, now));
  EXPECT_EQ(std::nullopt, claim("a", now));
  auto late = finish("a", id, now);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().what, HasSubstr("is dead"));
}

TEST_F(Inbox, DoneIsForItsClaimer) {
  const std::string id = send();
  ASSERT_TRUE(claim("a"));
  auto other = finish("b", id);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("is claimed by a"));
  const Message done = finish("a", id, kStart + 7).value();
  EXPECT_EQ(load(id), done);
  EXPECT_EQ("done", done.state);
  EXPECT_EQ("it is done", done.result);
  EXPECT_EQ(kStart + 7, done.done_at);
  EXPECT_FALSE(finish("a", id));
}

TEST_F(Inbox, WhatNobodyHasClaimedAnybodyMayEnd) {
  const std::string id = send();
  EXPECT_TRUE(finish("b", id));
  const std::string claimed = send();
  ASSERT_TRUE(claim("a"));
  EXPECT_FALSE(finish("b", claimed, kStart + 9 * kMinute));
  EXPECT_TRUE(finish("b", claimed, kStart + 10 * kMinute));
}

TEST_F(Inbox, EvidenceThatIsNotThereCannotBeAttached) {
  EvidencePack pack;
  pack.id = base::new_id();
  ASSERT_TRUE(save_evidence(connection_, pack));
  EXPECT_THAT(load(send({.evidence = {pack.id}})).evidence, ElementsAre(pack.id));
  auto added = add_message(connection_, {.id = base::new_id(), .evidence = {"nothing"}});
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().what, HasSubstr("no evidence 'nothing'"));
}

TEST_F(Inbox, ListsGoOnBehindTheLastAndKeepWithinABound) {
  for (int i = 0; i < 5; i++) send({.body = std::string(1000, 'x')});
  const auto first = list_messages(connection_, {.to = {}, .thread = {}, .state = {}, .limit = 2}, 1 << 20);
  ASSERT_THAT(first.value(), SizeIs(2));
  MessageFilter rest{.to = {}, .thread = {}, .state = "open", .after = first->back().number};
  EXPECT_THAT(list_messages(connection_, rest, 1 << 20).value(), SizeIs(3));
  EXPECT_THAT(list_messages(connection_, rest, 2500).value(), SizeIs(2));
  EXPECT_THAT(list_messages(connection_, rest, 1).value(), SizeIs(1));
}

TEST_F(Inbox, OfEightThatRaceForAMessageOneWins) {
  constexpr int kRounds = 20;
  constexpr int kRacers = 8;
  for (int i = 0; i < kRounds; i++) send();
  std::atomic<int> won = 0;
  std::array<std::atomic<int>, kRounds> wins_of_round{};
  std::barrier start(kRacers);
  std::vector<std::thread> racers;
  for (int racer = 0; racer < kRacers; racer++) {
    racers.emplace_back([&, racer] {
      auto mine = Connection::open(dir_.file("store.db"), Access::write).value();
      for (int round = 0; round < kRounds; round++) {
        start.arrive_and_wait();
        auto transaction = Transaction::begin(mine, Transaction::Kind::write).value();
        auto oldest = mine.number("SELECT min(number) FROM inbox").value() + round;
        auto id = mine.prepare("SELECT id FROM inbox WHERE number = ?1").value();
        id.bind(1, oldest);
        ASSERT_TRUE(id.step().value());
        const std::string name = id.text(0);
        id.reset();
        if (claim_message(mine, {"racer " + std::to_string(racer), name, {}}, kStart).value()) {
          won++;
          wins_of_round.at(static_cast<size_t>(round))++;
        }
        ASSERT_TRUE(transaction.commit());
      }
    });
  }
  for (std::thread& each : racers) each.join();
  EXPECT_EQ(kRounds, won);
  for (const auto& wins : wins_of_round) EXPECT_EQ(1, wins);
}

}  // namespace
}  // namespace store
