// SPDX-License-Identifier: Apache-2.0
// Link: a connection to the daemon with the calls that wait on it. Short calls share one, so that they are
// done in the order in which they were asked; one that may take long has its own, which is closed when the
// call is cancelled.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "wire/client.h"

namespace mcp {

enum class Sharing : uint8_t { shared, own };

struct Link {
  wire::Client client;
  Sharing sharing;
  std::map<uint64_t, std::string> waiting = {};  // the daemon's ids, and the keys of the calls

  // Of a call; false if it does not wait here.
  bool has(const std::string& key) const;
  void forget(const std::string& key);
};

}  // namespace mcp
