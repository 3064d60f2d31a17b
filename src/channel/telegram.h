// SPDX-License-Identifier: Apache-2.0
// Telegram as a medium, over the Bot API: a long poll for what people say, an outbox for what they are told.
#pragma once
#include <boost/json/object.hpp>
#include <functional>
#include <memory>

#include "channel/kinds.h"

namespace channel {

base::Result<std::unique_ptr<Medium>> make_telegram(const Place& place);

// {"token", "api_url"}: who the bot is, as {"name": "@…"}. With "find_user" it waits for the first message
// that somebody sends to the bot, and gives {"user", "user_name"}.
void check_telegram(Http& http, event::Loop& loop, const boost::json::object& given, Kind::Checked done);

}  // namespace channel
