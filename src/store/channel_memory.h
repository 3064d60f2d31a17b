// SPDX-License-Identifier: Apache-2.0
// What channels remember across restarts: which message stands for which prompt, how far they have read.
// Small texts, each of one channel; those that name a prompt go when the prompt is gone. Bounded: beyond
// kMostEntries of a channel the oldest go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/database.h"

namespace store {

struct ChannelEntry {
  std::string channel = {};
  std::string key = {};
  std::string value = {};
  std::string prompt = {};  // its id; empty: of none
  bool operator==(const ChannelEntry&) const = default;
};

constexpr int64_t kMostEntries = 2000;

// In the place of what the key had before.
base::Result<void> remember(Connection& connection, const ChannelEntry& entry, int64_t most = kMostEntries);
// The oldest first.
base::Result<std::vector<ChannelEntry>> recall(Connection& connection, std::string_view channel);

}  // namespace store
