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

Events::Begin Events::begin_after(std::optional<uint64_t> after) const {
  const uint64_t last = next() - 1;
  const uint64_t before_all = epoch() - 1;
  Begin begin{.after = after.value_or(last)};
  // A number that this daemon never gave is of another one, and says nothing about this one's.
  begin.replaced = begin.after > last || (begin.after < before_all && begin.after > 0);
  if (begin.replaced || begin.after < before_all) begin.after = before_all;
  begin.missed = begin.after + 1 < first() ? first() - begin.after - 1 : 0;
  return begin;
}

}  // namespace session
