// SPDX-License-Identifier: Apache-2.0
// What Slack says over Socket Mode, held against what it should look like. Pure: any bytes may come in, and
// what is nothing that a person did comes to nothing but its acknowledgement.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "channel/press.h"

namespace channel {

struct SlackEvent {
  enum class What { nothing, hello, disconnect, press, message };
  What what = What::nothing;
  std::string envelope = {};  // is acknowledged, whatever is in it; empty: there is none
  std::string event = {};     // its number: the same one may come in two envelopes; may be empty
  std::string user = {};
  std::string channel = {};
  std::string message = {};  // the one that it is, or whose button was pressed
  std::string thread = {};   // that the message stands in; may be empty
  std::string text = {};     // as it was typed
  int64_t date = 0;          // of the message, in seconds since the epoch; 0: not known
  std::optional<Press> press = {};
};

SlackEvent read_slack_event(std::string_view text);

}  // namespace channel
