// SPDX-License-Identifier: Apache-2.0
#include "loop/idle.h"

#include <algorithm>
#include <utility>

namespace loop {

Idle::Idle(base::Duration timeout, base::Duration patience, base::Moment now)
    : timeout_(timeout), patience_(patience), active_(now) {}

void Idle::output(base::Moment now) { active_ = std::max(active_, now); }

void Idle::prompt_left(base::Moment now) {
  if (!held_until_) return;
  held_until_.reset();
  active_ = std::max(active_, now);
}

std::optional<base::Moment> Idle::due() const {
  if (timeout_ == base::Duration::zero()) return {};
  return held_until_ ? *held_until_ : active_ + timeout_;
}

Idle::Verdict Idle::look(base::Moment now, std::optional<base::Duration> typed,
                         const std::optional<WaitingPrompt>& prompt) {
  if (timeout_ == base::Duration::zero()) return Verdict::go_on;
  if (typed) active_ = std::max(active_, now - *typed);
  if (held_until_) {
    const bool same = prompt && prompt->id == held_for_;
    if (same && now < *held_until_) return Verdict::hold;
    // Answered, cancelled or expired: from zero.
    if (same) expired_.insert(prompt->id);
    prompt_left(now);
  }
  if (prompt && !expired_.contains(prompt->id)) {
    if (prompt->age < patience_) {
      held_for_ = prompt->id;
      held_until_ = now + (patience_ - prompt->age);
      return Verdict::hold;
    }
    expired_.insert(prompt->id);
  }
  return now >= active_ + timeout_ ? Verdict::idle : Verdict::go_on;
}

}  // namespace loop
