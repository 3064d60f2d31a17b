// SPDX-License-Identifier: Apache-2.0
// Prompts: what programs asked, who answered, and what came of it. A prompt is answered at most once: whoever
// claims it does so with one statement that changes one row or none.
//
//   awaiting --claim--> claimed --intent--> claimed --outcome--> answered
//   claimed --release--> awaiting                  (nothing was written)
//   awaiting, claimed --end--> answered by somebody else, expired, cancelled, failed
//
// `created` and `routed` come before awaiting, while channels are told. Times are microseconds since the
// epoch and come from the caller. The value of a secret is never here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/database.h"

namespace store {

constexpr int64_t kMostEndedPrompts = 10'000;

struct PromptRecord {
  std::string id = {};
  std::string nonce = {};
  std::string session = {};  // its id
  std::string name = {};     // its name, then
  int64_t pty = 0;
  int64_t run = 0;          // restarts of the PTY
  int64_t generation = 0;   // counts the questions of the run
  std::string region = {};  // hash of what was asked
  std::string type = {};
  std::string question = {};
  std::string choices = "[]";  // JSON
  std::optional<std::string> fallback = {};
  bool secret = false;
  bool enter = true;
  std::optional<int64_t> limit = {};
  int64_t confidence = 0;  // in hundredths
  std::string excerpt = {};
  std::string evidence = "{}";  // JSON: how it was known
  std::string state = "awaiting";
  std::optional<std::string> outcome = {};  // accepted rejected unknown
  std::optional<std::string> value = {};
  std::string by = {};
  std::string channel = {};
  std::string rule = {};  // of the policy, that decided
  int64_t created_at = 0;
  int64_t expires_at = 0;
  std::optional<int64_t> claimed_at = {};
  std::optional<int64_t> intent_at = {};
  std::optional<int64_t> ended_at = {};

  bool is_open() const { return !ended_at; }
  bool operator==(const PromptRecord&) const = default;
};

// Of what was asked: the same text, the same hash.
std::string region_hash(std::string_view text);

// One that is there already stays as it is.
base::Result<void> add_prompt(Connection& connection, const PromptRecord& prompt);

struct PromptClaim {
  std::string id = {};
  std::string nonce = {};
  std::string by = {};
  std::string channel = {};
  std::string rule = {};
};
// PROMPT_NOT_FOUND: there is none, or the nonce is another's. PROMPT_STALE: it does not wait any more.
base::Result<void> claim_prompt(Connection& connection, const PromptClaim& claim, int64_t now);
// Before anything is written to the program. Fails for one that is not claimed, or has an intent already.
base::Result<void> record_intent(Connection& connection, std::string_view id,
                                 const std::optional<std::string>& value, int64_t now);
// What came of what was written.
base::Result<void> record_outcome(Connection& connection, std::string_view id, std::string_view outcome,
                                  int64_t now);
// Nothing was written, and it waits again.
base::Result<void> release_prompt(Connection& connection, std::string_view id);

struct PromptEnd {
  std::string state = {};  // answered expired cancelled failed
  std::optional<std::string> outcome = {};
  std::string by = {};
  std::string channel = {};
};
// One that has ended stays as it is; gives whether this ended it.
base::Result<bool> end_prompt(Connection& connection, std::string_view id, const PromptEnd& end, int64_t now);

// At the start of a daemon: claims without an intent wait again; with one, nobody knows what came of them.
base::Result<void> recover_prompts(Connection& connection, int64_t now);
// Removes what ended before that, and more than `most` of those that ended. Gives how many.
base::Result<int64_t> prune_prompts(Connection& connection, int64_t before, int64_t most = kMostEndedPrompts);

struct PromptFilter {
  std::optional<std::string> session = {};
  std::optional<std::string> state = {};
  std::optional<std::string> rule = {};
  enum class Which { open, ended, all } which = Which::all;
  int64_t limit = 100;
};
// The newest first.
base::Result<std::vector<PromptRecord>> list_prompts(Connection& connection, const PromptFilter& filter);
base::Result<std::optional<PromptRecord>> load_prompt(Connection& connection, std::string_view id);
// How often a rule of the policy has answered in a session.
base::Result<int64_t> count_answers(Connection& connection, std::string_view session, std::string_view rule);

}  // namespace store
