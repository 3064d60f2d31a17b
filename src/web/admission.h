// SPDX-License-Identifier: Apache-2.0
// Admission: how many connections there are, and how often an address has shown a wrong token. Passive:
// whoever owns the connections asks, and does what it says.
#pragma once
#include <deque>
#include <map>
#include <string>

#include "base/clock.h"

namespace web {

// Failed logins of addresses, within the last minute.
class Failures {
 public:
  void add(const std::string& address, base::Moment now);
  bool too_many(const std::string& address, base::Moment now);

 private:
  static constexpr size_t kMostAddresses = 4096;
  void forget_old(base::Moment now);

  std::map<std::string, std::deque<base::Moment>> by_address_;
};

}  // namespace web
