// SPDX-License-Identifier: Apache-2.0
// Bytes from an MCP client, cut in any pieces: whatever they are, every line of the output is one message or
// batch, and nothing is left under way when there is no daemon to ask.
#include <boost/json/parse.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/clock.h"
#include "base/strings.h"
#include "mcp/line_reader.h"
#include "mcp/server.h"

namespace {

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","clientInfo":{"name":"f"}}})";

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t piece = 1 + data[0] % 64;
  const base::RealClock clock;
  mcp::Server server({.connect = [](const wire::Greeting&) -> base::Result<wire::Client> {
                        return base::fail(base::Code::no_daemon, 0, "there is none");
                      },
                      .version = "0",
                      .new_session = {{"cwd", "/"}}},
                     clock);
  if (data[0] % 2 == 0) server.take_line(kInitialize);
  mcp::LineReader reader;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    reader.append(bytes.substr(at, piece));
    while (auto line = reader.next()) server.take_line(line->text);
  }
  if (auto rest = reader.rest()) server.take_line(rest->text);
  check(server.idle());
  for (const std::string_view line : base::split(server.output(), '\n')) {
    boost::system::error_code wrong;
    boost::json::parse_options deep;
    deep.max_depth = 64;
    if (!line.empty()) boost::json::parse(line, wrong, {}, deep);
    check(!wrong);
  }
  return 0;
}
