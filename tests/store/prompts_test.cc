// SPDX-License-Identifier: Apache-2.0
// Prompts: a claim has one winner, and what is known of an answer survives. Times are made up: nobody waits.
#include "store/prompts.h"

#include <atomic>
#include <barrier>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/ids.h"
#include "opened_store.h"
#include "store/schema.h"

namespace store {
namespace {

using base::Code;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr int64_t kStart = 1'800'000'000'000'000;
constexpr int64_t kExpiry = kStart + 300'000'000;

class Prompts : public testing::Test {
 protected:
  PromptRecord ask(PromptRecord prompt = {}) {
    prompt.id = base::new_id();
    prompt.nonce = base::new_id();
    prompt.session = "s1";
    prompt.type = "YES_NO";
    prompt.question = "Continue?";
    prompt.created_at = kStart;
    prompt.expires_at = kExpiry;
    EXPECT_TRUE(add_prompt(connection_, prompt));
    return prompt;
  }
  base::Result<void> claim(const PromptRecord& prompt, const std::string& by, int64_t now = kStart + 1) {
    return claim_prompt(
        connection_, {.id = prompt.id, .nonce = prompt.nonce, .by = by, .channel = "cli", .rule = ""}, now);
  }
  PromptRecord load(const PromptRecord& prompt) {
    return load_prompt(connection_, prompt.id).value().value();
  }

  support::TempDir dir_;
  Connection connection_ = open_store_file(dir_.file("store.db")).value().connection;
};

TEST_F(Prompts, APromptIsKeptAsItWasAsked) {
  PromptRecord prompt =
      ask({.pty = 2, .run = 3, .choices = R"([{"key":"y"}])", .fallback = "n", .limit = 20});
  EXPECT_EQ(prompt, load(prompt));
  EXPECT_TRUE(add_prompt(connection_, prompt));
  EXPECT_THAT(list_prompts(connection_, {}).value(), SizeIs(1));
}

TEST_F(Prompts, AnAnswerGoesThroughItsStates) {
  const PromptRecord prompt = ask();
  ASSERT_TRUE(claim(prompt, "ada"));
  EXPECT_EQ("claimed", load(prompt).state);
  EXPECT_EQ("ada", load(prompt).by);
  ASSERT_TRUE(record_intent(connection_, prompt.id, "y", kStart + 2));
  EXPECT_EQ("y", load(prompt).value);
  ASSERT_TRUE(record_outcome(connection_, prompt.id, "accepted", kStart + 3));
  const PromptRecord ended = load(prompt);
  EXPECT_EQ("answered", ended.state);
  EXPECT_EQ("accepted", ended.outcome);
  EXPECT_EQ(kStart + 1, ended.claimed_at);
  EXPECT_EQ(kStart + 2, ended.intent_at);
  EXPECT_EQ(kStart + 3, ended.ended_at);
}

TEST_F(Prompts, StepsOutOfOrderAreRefused) {
  const PromptRecord prompt = ask();
  EXPECT_FALSE(record_intent(connection_, prompt.id, "y", kStart));
  EXPECT_FALSE(record_outcome(connection_, prompt.id, "accepted", kStart));
  ASSERT_TRUE(claim(prompt, "ada"));
  EXPECT_FALSE(record_outcome(connection_, prompt.id, "accepted", kStart));
  ASSERT_TRUE(record_intent(connection_, prompt.id, "y", kStart));
  EXPECT_FALSE(record_intent(connection_, prompt.id, "n", kStart));
}

TEST_F(Prompts, ErrorsOfAClaimTellApartAndLeakNothing) {
  PromptRecord prompt = ask();
  PromptRecord wrong = prompt;
  wrong.nonce = "guess";
  const auto not_it = claim(wrong, "eve");
  ASSERT_FALSE(not_it);
  EXPECT_EQ(Code::prompt_not_found, not_it.error().code);
  EXPECT_THAT(not_it.error().message(), Not(HasSubstr(prompt.nonce)));
  const auto late = claim(prompt, "eve", kExpiry);
  ASSERT_FALSE(late);
  EXPECT_EQ(Code::prompt_stale, late.error().code);
  ASSERT_TRUE(claim(prompt, "ada", kExpiry - 1));
  EXPECT_EQ(Code::prompt_stale, claim(prompt, "eve").error().code);
  prompt.id = base::new_id();
  EXPECT_EQ(Code::prompt_not_found, claim(prompt, "eve").error().code);
}

TEST_F(Prompts, OneThatIsReleasedWaitsAgainWithItsNonceAndExpiry) {
  const PromptRecord prompt = ask();
  ASSERT_TRUE(claim(prompt, "ada"));
  ASSERT_TRUE(record_intent(connection_, prompt.id, "y", kStart));
  ASSERT_TRUE(release_prompt(connection_, prompt.id));
  EXPECT_EQ(prompt, load(prompt));
  EXPECT_TRUE(claim(prompt, "bob"));
}

TEST_F(Prompts, WhatHasEndedStaysAsItIs) {
  const PromptRecord prompt = ask();
  EXPECT_TRUE(end_prompt(connection_, prompt.id, {.state = "cancelled", .by = "ada"}, kStart + 5).value());
  EXPECT_FALSE(end_prompt(connection_, prompt.id, {.state = "expired"}, kStart + 6).value());
  EXPECT_EQ("cancelled", load(prompt).state);
  ASSERT_TRUE(release_prompt(connection_, prompt.id));
  EXPECT_EQ("cancelled", load(prompt).state);
  EXPECT_FALSE(claim(prompt, "bob"));
}

TEST_F(Prompts, TheValueOfASecretIsNotKept) {
  const PromptRecord prompt = ask({.secret = true, .value = "hunter2"});
  EXPECT_EQ(std::nullopt, load(prompt).value);
  ASSERT_TRUE(claim(prompt, "ada"));
  ASSERT_TRUE(record_intent(connection_, prompt.id, "hunter2", kStart));
  EXPECT_EQ(std::nullopt, load(prompt).value);
}

TEST_F(Prompts, ADaemonThatWasKilledLeavesNothingInDoubt) {
  const PromptRecord open = ask();
  const PromptRecord claimed = ask();
  const PromptRecord meant = ask();
  ASSERT_TRUE(claim(claimed, "ada"));
  ASSERT_TRUE(claim(meant, "ada"));
  ASSERT_TRUE(record_intent(connection_, meant.id, "y", kStart));
  ASSERT_TRUE(recover_prompts(connection_, kStart + 9));
  EXPECT_EQ(open, load(open));
  EXPECT_EQ(claimed, load(claimed));
  EXPECT_EQ("answered", load(meant).state);
  EXPECT_EQ("unknown", load(meant).outcome);
  EXPECT_EQ(kStart + 9, load(meant).ended_at);
}

TEST_F(Prompts, OldOnesAndTooManyAreRemovedAndOpenOnesStay) {
  const PromptRecord open = ask();
  std::vector<PromptRecord> ended;
  for (int i = 0; i < 6; i++) {
    ended.push_back(ask());
    ASSERT_TRUE(end_prompt(connection_, ended.back().id, {.state = "expired"}, kStart + i).value());
  }
  EXPECT_EQ(2, prune_prompts(connection_, kStart + 2, 100).value());
  EXPECT_EQ(1, prune_prompts(connection_, kStart, 3).value());
  EXPECT_EQ(0, prune_prompts(connection_, kStart, 3).value());
  EXPECT_THAT(list_prompts(connection_, {}).value(), SizeIs(4));
  EXPECT_EQ(open, load(open));
  EXPECT_EQ(ended[5].id, list_prompts(connection_, {.which = PromptFilter::Which::ended}).value()[0].id);
  EXPECT_THAT(list_prompts(connection_, {.which = PromptFilter::Which::open}).value(), SizeIs(1));
}

TEST_F(Prompts, OfEightConnectionsThatRaceForAPromptOneWins) {
  constexpr int kRounds = 50;
  constexpr int kRacers = 8;
  std::vector<PromptRecord> prompts;
  for (int i = 0; i < kRounds; i++) prompts.push_back(ask());
  std::array<std::atomic<int>, kRounds> wins{};
  std::atomic<int> errors = 0;
  std::barrier start(kRacers);
  std::vector<std::thread> racers;
  for (int n = 0; n < kRacers; n++) {
    racers.emplace_back([&, n] {
      Connection own = Connection::open(dir_.file("store.db"), Access::write).value();
      for (int i = 0; i < kRounds; i++) {
        start.arrive_and_wait();
        // One in eight guesses, one comes too late.
        const PromptClaim claim{.id = prompts[i].id,
                                .nonce = n == 0 ? "guess" : prompts[i].nonce,
                                .by = std::to_string(n),
                                .channel = "cli",
                                .rule = ""};
        const auto won = claim_prompt(own, claim, n == 1 ? kExpiry : kExpiry - 1);
        if (won)
          wins[i]++;
        else if (won.error().code != (n == 0 ? Code::prompt_not_found : Code::prompt_stale))
          errors++;
      }
    });
  }
  for (std::thread& each : racers) each.join();
  for (int i = 0; i < kRounds; i++) {
    EXPECT_EQ(1, wins[i]) << i;
    EXPECT_GE(load(prompts[i]).by, "2");
  }
  EXPECT_EQ(0, errors);
}

}  // namespace
}  // namespace store
