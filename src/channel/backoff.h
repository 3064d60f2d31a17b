// SPDX-License-Identifier: Apache-2.0
// Backoff: how long to wait after a failure: 1 s, doubling to 60 s, or as long as the other side asks for.
// Pure. There is no jitter: a channel is one process, and nobody fails beside it in step.
#pragma once
#include <optional>

#include "base/clock.h"

namespace channel {

class Backoff {
 public:
  struct Limits {
    base::Duration first = std::chrono::seconds(1);
    base::Duration most = std::chrono::seconds(60);
    // Of what the other side asks for: it may lie.
    base::Duration most_asked = std::chrono::minutes(10);
  };

  Backoff() : Backoff(Limits{}) {}
  explicit Backoff(Limits limits) : limits_(limits), next_(limits.first) {}

  // The wait after this failure. What was asked for is kept to, and does not count as a failure.
  base::Duration failed(std::optional<base::Duration> asked = {});
  void succeeded() { next_ = limits_.first; }

 private:
  Limits limits_;
  base::Duration next_;
};

}  // namespace channel
