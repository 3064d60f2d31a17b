// SPDX-License-Identifier: Apache-2.0
#include "channel/backoff.h"

#include <algorithm>

namespace channel {

base::Duration Backoff::failed(std::optional<base::Duration> asked) {
  if (asked) return std::clamp<base::Duration>(*asked, limits_.first, limits_.most_asked);
  const base::Duration wait = next_;
  next_ = std::min(next_ * 2, limits_.most);
  return wait;
}

}  // namespace channel
