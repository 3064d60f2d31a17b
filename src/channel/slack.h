// SPDX-License-Identifier: Apache-2.0
// Slack as a medium: Socket Mode for what people say, the Web API for what they are told. Everybody who may
// answer has a message of his own for each prompt, with buttons; a reply in its thread is a free text.
#pragma once
#include <boost/json/object.hpp>
#include <memory>

#include "channel/kinds.h"

namespace channel {

base::Result<std::unique_ptr<Medium>> make_slack(const Place& place);

// {"bot_token", "app_token", "api_url"}: who the bot is, as {"name": "bot in team"}.
void check_slack(Http& http, event::Loop& loop, const boost::json::object& given, Kind::Checked done);

}  // namespace channel
