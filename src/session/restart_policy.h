// SPDX-License-Identifier: Apache-2.0
// RestartPolicy: how long to wait before an agent that has ended is started again. After three lives in a row
// of less than five seconds the delay doubles with every further one, up to a minute; a longer life sets it
// back.
#pragma once
#include <chrono>

#include "base/clock.h"

namespace session {

class RestartPolicy {
 public:
  explicit RestartPolicy(std::chrono::milliseconds delay) : delay_(delay) {}

  // The program has ended after `lived`: the delay before its next start.
  std::chrono::milliseconds after_exit(base::Duration lived);

  // It keeps failing, and the delay is longer than the one that is configured.
  bool backing_off() const { return short_lives_ > kPatience; }

 private:
  static constexpr std::chrono::seconds kShortLife{5};
  static constexpr std::chrono::milliseconds kMostDelay{60'000};
  static constexpr int kPatience = 3;

  std::chrono::milliseconds delay_;
  int short_lives_ = 0;
};

}  // namespace session
