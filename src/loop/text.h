// SPDX-License-Identifier: Apache-2.0
// Text for people: what comes from programs made fit to be kept, moments and lengths of time in words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace loop {

// Valid UTF-8 with no control characters but newline and tab; U+FFFD stands for what is none.
std::string readable(std::string_view bytes);

// The last `most` characters of valid UTF-8.
std::string_view last_characters(std::string_view text, size_t most);

// 2026-03-01T12:00:00.123456Z, and back as microseconds since the epoch.
std::string iso_time(base::WallTime at);
std::optional<int64_t> parse_iso_time(std::string_view text);

// 14:05, or with the date in front where that is another day; by the clock of this place.
std::string local_time(base::WallTime at, base::WallTime now);

// 4 s, 3 min 20 s, 2 h 5 min.
std::string in_words(base::Duration length);

int64_t in_milliseconds(base::Duration length);

}  // namespace loop
