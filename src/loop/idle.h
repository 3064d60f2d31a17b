// SPDX-License-Identifier: Apache-2.0
// Idle: when an agent has been silent for too long. Output and keys start the time anew; a prompt that waits
// for a person stops it. What was typed is known to the daemon, so at due() the caller asks it, and says what
// it heard with look().
#pragma once
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"

namespace loop {

// A question that somebody may answer.
struct WaitingPrompt {
  std::string id;
  base::Duration age{};  // since it was asked
};

class Idle {
 public:
  // `timeout` 0: never idle. A prompt holds the time for `patience` at most.
  Idle(base::Duration timeout, base::Duration patience, base::Moment now);

  void output(base::Moment now);
  // The prompt has gone: from zero.
  void prompt_left(base::Moment now);

  // When to look; nothing: never.
  std::optional<base::Moment> due() const;

  enum class Verdict { go_on, hold, idle };
  // `typed`: how long ago the last key was typed. `prompt`: what waits for an answer and may be waited for.
  Verdict look(base::Moment now, std::optional<base::Duration> typed,
               const std::optional<WaitingPrompt>& prompt);

  bool held() const { return held_until_.has_value(); }
  base::Duration timeout() const { return timeout_; }

 private:
  base::Duration timeout_;
  base::Duration patience_;
  base::Moment active_;
  std::optional<base::Moment> held_until_;
  std::string held_for_;
  std::set<std::string> expired_;  // prompts that were waited for long enough
};

}  // namespace loop
