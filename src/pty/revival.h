// SPDX-License-Identifier: Apache-2.0
// Revival: when a keeper without a holder starts a new one. At once, then after 0.1 s, doubling to 30 s, for
// as long as nobody comes. A holder that was lost within a second of its coming counts as a try that failed,
// so that a daemon that crashes on what it finds is not started in a tight loop.
//
// A passive object: the keeper tells it what happens and calls tried() when it has tried at due().
#pragma once
#include <optional>

#include "base/clock.h"
#include "pty/pty.h"

namespace pty::keeper {

class Revival {
 public:
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::seconds kLongestPause{30};
  static constexpr std::chrono::seconds kLongEnough{1};

  // A holder has come, and said what to start when it is lost.
  void held(std::optional<Command> command, base::Moment now);
  // It will go on purpose.
  void release() { command_.reset(); }
  void lost(base::Moment now);

  // Nothing while there is a holder, or nothing to start.
  std::optional<base::Moment> due() const;
  const Command& command() const { return *command_; }
  void tried(base::Moment now);

 private:
  std::optional<Command> command_;
  base::Moment held_since_;
  std::optional<base::Moment> due_;
  base::Duration pause_{};  // before the next try
};

}  // namespace pty::keeper
