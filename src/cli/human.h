// SPDX-License-Identifier: Apache-2.0
// Times, amounts and command lines as a person reads them.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "wire/message.h"

namespace cli {

// "2026-11-15T21:30:37.000000Z", as the daemon writes it.
std::optional<base::WallTime> parse_time(std::string_view text);
// In the time zone of whoever asks: "2026-11-15 21:30:37".
std::string local_time(base::WallTime time);

// "12 s", "3 min", "2 h 5 min", "4 d 1 h".
std::string duration(std::chrono::seconds span);
// "3 min ago"; "now" within a second, and for what comes from a clock that is ahead.
std::string ago(base::WallTime then, base::WallTime now);

std::string amount_of_bytes(uint64_t bytes);

// The words of a JSON array as a shell would need them typed.
std::string command_line(const wire::json::value& words);

// A path with the user's home as "~".
std::string short_path(std::string_view path);

// "exited (code 3)", "killed by SIGKILL"; nothing while the program runs.
std::string how_it_ended(const wire::json::object& pty);

}  // namespace cli
