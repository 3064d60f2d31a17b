// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <cassert>

namespace base {

Moment RealClock::now() const { return std::chrono::steady_clock::now(); }

WallTime RealClock::wall() const { return std::chrono::system_clock::now(); }

void ManualClock::advance(Duration by) {
  assert(by >= Duration::zero() && "a steady clock never goes back");
  now_ += by;
  wall_ += by;
}

}  // namespace base
