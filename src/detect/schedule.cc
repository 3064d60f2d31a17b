// SPDX-License-Identifier: Apache-2.0
#include "detect/schedule.h"

#include <algorithm>
#include <array>

namespace detect {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The first is as short as a program that has printed its question needs to get to its read.
constexpr std::array<base::Duration, 5> kSteps{microseconds(200), milliseconds(1), milliseconds(5),
                                               milliseconds(20), milliseconds(100)};
// A program that works in silence and blocks then is known within this.
constexpr base::Duration kOften = milliseconds(150);
constexpr base::Duration kFirstSeconds = seconds(5);
constexpr base::Duration kEvery = seconds(1);
constexpr base::Duration kFirstMinute = minutes(1);
constexpr base::Duration kLater = seconds(5);

}  // namespace

void Schedule::moved(base::Moment now) {
  last_move_ = now;
  next_ = now + kSteps[0];
  extra_.reset();
  resting_ = false;
}

void Schedule::looked(base::Moment now) {
  if (extra_ && now >= *extra_) extra_.reset();
  const base::Duration quiet = now - last_move_;
  const auto* const step =
      std::find_if(kSteps.begin(), kSteps.end(), [&](base::Duration each) { return each > quiet; });
  if (step != kSteps.end())
    next_ = last_move_ + *step;
  else
    next_ = now + (quiet < kFirstSeconds ? kOften : quiet < kFirstMinute ? kEvery : kLater);
}

std::optional<base::Moment> Schedule::next() const {
  if (resting_) return extra_;
  return extra_ ? std::min(*extra_, next_) : next_;
}

}  // namespace detect
