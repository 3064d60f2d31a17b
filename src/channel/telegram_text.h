// SPDX-License-Identifier: Apache-2.0
// What people see in Telegram: the texts of messages, as HTML, and the buttons below them. Pure. Whatever
// bytes a program printed, what comes out is HTML that Telegram parses, within its bounds.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "channel/desk.h"
#include "channel/medium.h"
#include "channel/press.h"

namespace channel {

constexpr size_t kMostMessage = 4096;  // UTF-16 units, entities counted as what they stand for

std::string asking_text(const Notice& notice, Answerable answerable);
// The rows of buttons, as Telegram's reply_markup has them.
boost::json::object buttons_of(const Notice& notice, Answerable answerable);
// `by`: who ended it, as people call them.
std::string ended_text(const Notice& notice, const Ending& ending, std::string_view by);

std::string screen_text(std::string_view title, std::string_view screen);
std::string sessions_text(const std::vector<SessionLine>& sessions);
std::string help_text();

}  // namespace channel
