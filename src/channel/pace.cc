// SPDX-License-Identifier: Apache-2.0
#include "channel/pace.h"

#include <algorithm>

namespace channel {

using std::chrono::duration;

double Pace::tokens(const Bucket& bucket, base::Moment now) const {
  const double minutes = std::max(0.0, duration<double, std::ratio<60>>(now - bucket.at).count());
  return std::min(limits_.burst, bucket.tokens + minutes * limits_.per_minute);
}

bool Pace::take(std::string_view key, base::Moment now) {
  const auto found = buckets_.find(key);
  const double there = found != buckets_.end() ? tokens(found->second, now) : limits_.burst;
  if (there < 1) return false;
  if (found != buckets_.end()) {
    found->second = {there - 1, std::max(now, found->second.at)};
    return true;
  }
  if (buckets_.size() >= kMostKeys) forget_full(now);
  if (buckets_.size() >= kMostKeys) return false;
  buckets_[std::string(key)] = {there - 1, now};
  return true;
}

base::Moment Pace::ready_at(std::string_view key, base::Moment now) const {
  const auto found = buckets_.find(key);
  if (found == buckets_.end()) return now;
  const double missing = 1 - tokens(found->second, now);
  if (missing <= 0) return now;
  const duration<double, std::ratio<60>> wait(missing / limits_.per_minute);
  // A little more, so that what is rounded away does not make it too early.
  return now + std::chrono::ceil<std::chrono::milliseconds>(wait) + std::chrono::milliseconds(1);
}

void Pace::forget_full(base::Moment now) {
  std::erase_if(buckets_, [&](const auto& each) { return tokens(each.second, now) >= limits_.burst; });
}

}  // namespace channel
