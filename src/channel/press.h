// SPDX-License-Identifier: Apache-2.0
// What a button below a message says when it is pressed: the prompt, its nonce, and what to do. It stands in
// the message itself, so that it is valid after any restart. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "channel/medium.h"

namespace channel {

constexpr size_t kMostCallbackData = 64;  // Telegram's bound, which Slack's is above

struct Press {
  enum class What { choice, yes, no, enter, output, cancel };
  std::string prompt;
  std::string nonce;
  What what = What::enter;
  uint32_t choice = 0;  // counted from 1
};

std::string callback_data(const Press& press);
std::optional<Press> read_press(std::string_view data);

// As an answer of this person; `output` is none.
Reply reply_of(const Press& press, std::string who);

}  // namespace channel
