// SPDX-License-Identifier: Apache-2.0
// tend events: what happened to sessions, and what happens next.
#pragma once
#include <cstdint>
#include <optional>

namespace cli {

struct EventsOptions {
  std::optional<uint64_t> after;  // number of the last event that is known
  bool follow = false;            // without `after`: only what comes
  bool json = false;              // a line each
};
int events(const EventsOptions& options);

}  // namespace cli
