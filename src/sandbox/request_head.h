// SPDX-License-Identifier: Apache-2.0
// RequestHead: the first request of a client of the proxy, taken apart: where it wants to go, and what is to
// be sent there. Pure. Whatever is not exactly as the standard has it is refused: what two readers could
// understand differently is a way around the rules.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sandbox {

struct RequestHead {
  bool tunnel = false;  // CONNECT: bytes go both ways as they are
  std::string host;     // a name, in lower case
  uint16_t port = 0;
  std::string forward;  // of a plain request: the head as the server gets it
};

// `text` up to and with the empty line.
base::Result<RequestHead> parse_head(std::string_view text);

}  // namespace sandbox
