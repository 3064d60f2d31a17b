// SPDX-License-Identifier: Apache-2.0
// How long an agent has between SIGTERM and SIGKILL.
#pragma once
#include "base/clock.h"
#include "loop/signals.h"

namespace loop {

inline constexpr std::chrono::seconds kGrace{5};
// Whoever sends SIGTERM to the runner gives it five seconds, in which the agent's end must be written down.
inline constexpr std::chrono::seconds kGraceOfStop{4};

constexpr base::Duration grace_of(Wish wish) {
  if (wish == Wish::kill) return base::Duration::zero();
  return wish == Wish::stop ? kGraceOfStop : kGrace;
}

}  // namespace loop
