// SPDX-License-Identifier: Apache-2.0
// serve: an MCP server on two descriptors, one message a line, until the client closes its end. Neither
// descriptor's flags are changed, for others may have them too.
#pragma once
#include "base/result.h"
#include "mcp/server.h"

namespace mcp {

struct Streams {
  int in = 0;
  int out = 1;
};

base::Result<void> serve(ServerOptions options, Streams streams);

}  // namespace mcp
