// SPDX-License-Identifier: Apache-2.0
// The inbox: messages between agents, in threads. A message is work for one: whoever claims it has it for
// kClaimLasts, and says done; a claim that runs out gives it back, and after kMostClaims of those it is dead.
//
//   open --claim--> claimed --done--> done        claimed --ran out--> open, or dead after the last claim
//   open --done--> done                           (by whoever sees that nothing is left to do)
//
// Times are microseconds since the epoch and come from the caller. What changes something is several
// statements: the caller puts a transaction or a savepoint around it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/database.h"

namespace store {

constexpr int64_t kClaimLasts = int64_t{10} * 60 * 1'000'000;
constexpr int64_t kMostClaims = 5;
constexpr size_t kMostMessageText = 64 << 10;  // of a body, of a result
constexpr int64_t kMostWaiting = 10'000;       // messages that are neither done nor dead

struct Message {
  int64_t number = 0;  // in the order of sending
  std::string id = {};
  std::string thread = {};  // id of the message that began it
  std::string from = {};
  std::string to = {};  // empty: anybody
  std::string subject = {};
  std::string body = {};
  int64_t created_at = 0;
  std::string state = "open";  // open claimed done dead
  std::string claimed_by = {};
  std::optional<int64_t> claimed_at = {};
  int64_t claims = 0;
  std::optional<int64_t> done_at = {};
  std::string result = {};
  std::vector<std::string> evidence = {};

  bool operator==(const Message&) const = default;
};

// An empty thread begins one; one that is named must be there, and so must the evidence. Gives the thread.
base::Result<std::string> add_message(Connection& connection, const Message& message);

// A message's evidence grows: what is captured for a thread stands with its first message.
base::Result<void> attach_evidence(Connection& connection, std::string_view message,
                                   std::string_view evidence);

// Gives back what was claimed too long ago.
base::Result<void> expire_claims(Connection& connection, int64_t now);

struct Claim {
  std::string by = {};
  std::optional<std::string> id = {};  // nothing: the oldest that is open
  std::optional<std::string> to = {};  // only what is for this one, or for anybody
};
// Nothing: there is nothing to claim, or somebody else has it. An id that does not exist is an error.
base::Result<std::optional<Message>> claim_message(Connection& connection, const Claim& claim, int64_t now);

struct Finish {
  std::string by = {};
  std::string id = {};
  std::string result = {};
};
// Fails for what another has claimed, and for what is done or dead.
base::Result<Message> finish_message(Connection& connection, const Finish& finish, int64_t now);

struct MessageFilter {
  std::optional<std::string> to = {};  // for this one, or for anybody
  std::optional<std::string> thread = {};
  std::optional<std::string> state = {};
  int64_t after = 0;  // numbers above this
  int64_t limit = 100;
};
// Oldest first; stops early once the texts have `most_bytes`, but not before the first.
base::Result<std::vector<Message>> list_messages(Connection& connection, const MessageFilter& filter,
                                                 size_t most_bytes);
base::Result<std::optional<Message>> load_message(Connection& connection, std::string_view id);

}  // namespace store
