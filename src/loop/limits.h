// SPDX-License-Identifier: Apache-2.0
// What agents say when their usage limit is reached, and when it will be lifted: one table of messages and
// time formats.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "config/config.h"

namespace loop {

struct UsageLimit {
  std::string message;                           // the line as it was seen
  std::optional<base::WallTime> resets_at = {};  // unknown: the caller tries again after a while
};

// `now` is when the line was seen. Times without a zone are local ones.
std::optional<UsageLimit> find_limit(config::Backend backend, std::string_view line, base::WallTime now);

}  // namespace loop
