// SPDX-License-Identifier: Apache-2.0
#include "web/admission.h"

#include "web/limits.h"

namespace web {

void Failures::add(const std::string& address, base::Moment now) {
  forget_old(now);
  // Whoever comes from so many addresses is not one that a list could stop.
  if (by_address_.size() >= kMostAddresses && !by_address_.contains(address)) return;
  auto& times = by_address_[address];
  times.push_back(now);
  if (times.size() > kMostFailures) times.pop_front();
}

bool Failures::too_many(const std::string& address, base::Moment now) {
  forget_old(now);
  const auto found = by_address_.find(address);
  return found != by_address_.end() && found->second.size() >= kMostFailures;
}

void Failures::forget_old(base::Moment now) {
  for (auto each = by_address_.begin(); each != by_address_.end();) {
    auto& times = each->second;
    while (!times.empty() && now - times.front() >= kFailureTime) times.pop_front();
    each = times.empty() ? by_address_.erase(each) : std::next(each);
  }
}

}  // namespace web
