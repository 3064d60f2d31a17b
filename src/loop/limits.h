// SPDX-License-Identifier: Apache-2.0
// What agents say when their usage limit is reached, and when it will be lifted: one table of messages
// (limit_table.h) and time formats (limit_time.h).
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

// The same over the lines of an iteration: agents wrap long messages themselves, so that the time may stand
// on a line or two below.
class LimitWatch {
 public:
  explicit LimitWatch(config::Backend backend) : backend_(backend) {}

  // Gives whether a limit was found with this line, or is better known by it.
  bool line(std::string_view line, base::WallTime now);
  // The last one that was seen.
  const std::optional<UsageLimit>& found() const { return found_; }

 private:
  config::Backend backend_;
  std::optional<UsageLimit> found_;
  std::string text_;   // its line and those below
  int may_go_on_ = 0;  // for so many lines
};

}  // namespace loop
