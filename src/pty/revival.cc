// SPDX-License-Identifier: Apache-2.0
#include "pty/revival.h"

#include <algorithm>
#include <utility>

namespace pty::keeper {

void Revival::held(std::optional<Command> command, base::Moment now) {
  command_ = std::move(command);
  held_since_ = now;
  due_.reset();
}

void Revival::lost(base::Moment now) {
  if (now - held_since_ >= kLongEnough) pause_ = {};
  due_ = now + pause_;
}

std::optional<base::Moment> Revival::due() const {
  if (!command_) return {};
  return due_;
}

void Revival::tried(base::Moment now) {
  pause_ = std::clamp<base::Duration>(pause_ * 2, kFirstPause, kLongestPause);
  due_ = now + pause_;
}

}  // namespace pty::keeper
