// SPDX-License-Identifier: Apache-2.0
// Pace: how many messages one person gets: 10 a minute, 3 of them at once. A bucket of tokens for each key;
// pure, time comes from the caller. What it knows of the keys is bounded: a full bucket is no bucket.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace channel {

struct PaceLimits {
  double per_minute = 10;
  double burst = 3;
};

class Pace {
 public:
  explicit Pace(PaceLimits limits = {}) : limits_(limits) {}

  // Takes a token if there is one.
  bool take(std::string_view key, base::Moment now);
  // When the next token will be there: now, or later.
  base::Moment ready_at(std::string_view key, base::Moment now) const;

  size_t keys() const { return buckets_.size(); }

  static constexpr size_t kMostKeys = 10'000;

 private:
  struct Bucket {
    double tokens = 0;
    base::Moment at;
  };
  double tokens(const Bucket& bucket, base::Moment now) const;
  void forget_full(base::Moment now);

  PaceLimits limits_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace channel
