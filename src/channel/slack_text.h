// SPDX-License-Identifier: Apache-2.0
// What people see in Slack: the text of a message and its blocks, and what they write, made plain. Pure.
// Whatever bytes a program printed, what comes out is within Block Kit's bounds, and nothing in it is markup
// but what stands here.
#pragma once
#include <boost/json/array.hpp>
#include <string>
#include <string_view>

#include "channel/medium.h"
#include "channel/press.h"

namespace channel {

constexpr size_t kMostSlackSection = 3000;
constexpr size_t kMostSlackButton = 75;
constexpr size_t kMostSlackButtons = 25;

struct SlackMessage {
  std::string text;  // for notifications
  boost::json::array blocks;
};

SlackMessage slack_asking(const Notice& notice, Answerable answerable);
SlackMessage slack_ended(const Notice& notice, const Ending& ending, std::string_view by);
SlackMessage slack_screen(std::string_view screen);

// What somebody typed, of what Slack makes of it: links and entities as they were written.
std::string typed_in_slack(std::string_view text);

}  // namespace channel
