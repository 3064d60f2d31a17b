// SPDX-License-Identifier: Apache-2.0
#include "session/events.h"

#include <algorithm>
#include <utility>

namespace session {

void Events::publish(Event event) {
  event.number = next_++;
  kept_.push_back(std::move(event));
  if (kept_.size() > kKept) kept_.pop_front();
  listeners_.call();
}

const Event* Events::after(uint64_t number) const {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Event& each) { return each.number > number; });
  return found != kept_.end() ? &*found : nullptr;
}

}  // namespace session
