// SPDX-License-Identifier: Apache-2.0
// McpClient: the real `tend mcp` on two pipes, and whoever talks to it, for tests.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "../daemon/daemon_fixture.h"
#include "base/fd.h"

namespace mcp_test {

namespace json = boost::json;

class McpClient {
 public:
  McpClient();
  ~McpClient();  // ends the process
  McpClient(const McpClient&) = delete;
  McpClient& operator=(const McpClient&) = delete;

  pid_t pid() const { return pid_; }
  void write(std::string_view bytes);
  void line(std::string_view text) { write(std::string(text) + "\n"); }
  // Gives the id.
  int64_t request(std::string_view method, json::object params = {});
  void notify(std::string_view method, json::object params = {});

  // The next message that fits; what comes before it is kept. Empty at the deadline or the end.
  using Fits = std::function<bool(const json::object&)>;
  std::optional<json::object> heard(const Fits& fits);
  std::optional<json::object> heard(std::string_view method);
  // The answer to a request, whole.
  json::object answer(int64_t id);
  json::object result(std::string_view method, json::object params = {});
  // The number of the error.
  int64_t error(std::string_view method, json::object params = {});
  int64_t error_of_line(std::string_view line);
  // The result of a tool; a failure of the test if it is an error.
  json::object tool(std::string_view name, json::object arguments = {});
  // The code of the error of a tool.
  std::string tool_error(std::string_view name, json::object arguments = {});
  json::object initialize(std::string_view version = "2025-11-25");

  void close_input() { in_.reset(); }
  std::optional<int> wait_exit();  // the exit code; -1 for a signal
  // Everything on standard output that is no JSON message: there must be none.
  const std::string& garbage() const { return garbage_; }
  std::string errors() const;

 private:
  bool read_some(int timeout_ms);

  base::Fd in_;
  base::Fd out_;
  base::Fd err_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  std::string buffer_;
  std::string garbage_;
  std::deque<json::object> kept_;
  int64_t last_id_ = 100;
};

// A home of its own, without a daemon at first: the server starts it.
class McpTest : public testing::Test {
 protected:
  // The name of a new session with this command.
  std::string spawn(McpClient& client, const std::string& name, const json::array& command);
  host_test::Peer peer();
  host_test::Home home_;
};

}  // namespace mcp_test
