// SPDX-License-Identifier: Apache-2.0
// When a limit will be lifted, as agents write it: 1749924000; 3pm (America/New_York); 3:45 PM; Oct 31, 9am;
// Sep 15 at 7pm; Feb 3rd, 2026 7:05 PM; 08/01; 10:57 PM GMT-3; 2 days 3 hours 12 minutes; 5h30m12s; 34.07s.
#pragma once
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace loop {

// The text may go on behind the time. A time of day is the next one after `now`, a day that of this year or
// the next. Zones are read through the TZ variable, for a moment: no other thread may ask for local times.
std::optional<base::WallTime> time_told(std::string_view text, base::WallTime now);

}  // namespace loop
