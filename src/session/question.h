// SPDX-License-Identifier: Apache-2.0
// Question: what a program asks, with the name that everybody calls it by, and how far its answer is. The
// store has the same, as a prompt.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "detect/detector.h"

namespace session {

struct Question {
  enum class State : uint8_t { awaiting, claimed, answered, expired, cancelled, failed };

  std::string id = {};
  std::string nonce = {};  // whoever answers from afar must know it
  int64_t asked_at = 0;    // microseconds since the epoch
  int64_t expires_at = 0;
  State state = State::awaiting;
  std::string outcome = {};  // of one that was answered
  std::string by = {};       // who has claimed it, or ended it
  std::string channel = {};
  std::string rule = {};                    // of the policy, that decided
  std::optional<std::string> to_send = {};  // what the policy answers
  bool again = false;  // nothing is known of an earlier answer, and a person must be asked
  detect::Asked asked = {};

  bool open() const { return state == State::awaiting || state == State::claimed; }
};

std::string_view name_of(Question::State state);

}  // namespace session
