// SPDX-License-Identifier: Apache-2.0
#include "session/restart_policy.h"

#include <algorithm>

namespace session {

std::chrono::milliseconds RestartPolicy::after_exit(base::Duration lived) {
  short_lives_ = lived < kShortLife ? short_lives_ + 1 : 0;
  std::chrono::milliseconds delay = delay_;
  for (int i = kPatience; i < short_lives_ && delay < kMostDelay; i++)
    delay = std::max<std::chrono::milliseconds>(delay * 2, std::chrono::milliseconds(1));
  return backing_off() ? std::min(delay, std::max(kMostDelay, delay_)) : delay;
}

}  // namespace session
