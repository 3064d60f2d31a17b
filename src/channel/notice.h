// SPDX-License-Identifier: Apache-2.0
// A prompt of the protocol as a notice, and how it ended.
#pragma once
#include <boost/json/object.hpp>
#include <optional>

#include "channel/medium.h"

namespace channel {

Notice notice_of(const boost::json::object& prompt);
// Nothing for one that is open.
std::optional<Ending> ending_of(const boost::json::object& prompt);

// Whether somebody wrote this, at this second of the epoch, before he can have meant that prompt: what waited
// with a server while nobody was there to take it may mean something else. 0: the time is not known.
bool is_too_early(int64_t written, const Notice& notice);

// "2026-01-02T03:04:05.678901Z" in microseconds since the epoch; 0 for what is no time.
int64_t time_of(const std::string& text);

}  // namespace channel
