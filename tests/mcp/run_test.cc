// SPDX-License-Identifier: Apache-2.0
// pty_run: commands in a real shell, long ones, ones that fail, ones that are given up.
#include <gmock/gmock.h>

#include "mcp_client.h"

namespace mcp_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class RunTest : public McpTest {
 protected:
  void SetUp() override {
    client_.initialize();
    spawn(client_, "a", {"bash", "--norc", "--noprofile"});
    ready();
  }
  void ready() { client_.tool("pty_wait", {{"session", "a"}, {"until", "ready"}, {"timeout_ms", 60'000}}); }
  static json::object arguments(const std::string& command, json::object more = {}) {
    more["session"] = "a";
    more["command"] = command;
    if (!more.contains("timeout_ms")) more["timeout_ms"] = 60'000;
    return more;
  }
  json::object run(const std::string& command, json::object more = {}) {
    return client_.tool("pty_run", arguments(command, std::move(more)));
  }
  static std::string text(const json::value& value, std::string_view pointer) {
    return std::string(value.at_pointer(pointer).as_string());
  }
  McpClient client_;
};

TEST_F(RunTest, GivesExactlyTheOutputAndTheStatus) {
  const json::object done = run("echo one; echo two; (exit 3)");
  EXPECT_EQ(text(done, "/output"), "one\ntwo\n");
  EXPECT_EQ(done.at("exit_code").as_int64(), 3);
  EXPECT_FALSE(done.at("truncated").as_bool());
  const json::value said =
      client_.result("tools/call", {{"name", "pty_run"}, {"arguments", arguments("echo hi")}});
  EXPECT_EQ(text(said, "/content/0/text"), "hi\n") << "the text is the output alone";
}

TEST_F(RunTest, LongOutputIsCutAndTheNewestKept) {
  const json::object done = run("seq 1 30000");
  EXPECT_TRUE(done.at("truncated").as_bool());
  EXPECT_EQ(12'000U, text(done, "/output").size());
  EXPECT_THAT(text(done, "/output"), EndsWith("29999\n30000\n"));
  EXPECT_EQ(done.at("output_bytes").as_int64(), 168'894);
}

TEST_F(RunTest, TheErrorOfATimeoutHasTheOutputSoFar) {
  const json::value said = client_.result(
      "tools/call",
      {{"name", "pty_run"}, {"arguments", arguments("echo begun; read x", {{"timeout_ms", 1500}})}});
  EXPECT_TRUE(said.at("isError").as_bool());
  EXPECT_EQ(text(said, "/structuredContent/error/code"), "PTY_TIMEOUT");
  EXPECT_THAT(text(said, "/structuredContent/error/output"), HasSubstr("begun"));
  EXPECT_THAT(text(said, "/content/1/text"), HasSubstr("begun"));
  client_.tool("pty_send_keys", {{"session", "a"}, {"keys", {"C-c"}}});
}

TEST_F(RunTest, TellsItsProgressAndACancelledOneIsInterrupted) {
  const int64_t id =
      client_.request("tools/call", {{"name", "pty_run"},
                                     {"arguments", arguments("while sleep 0.1; do echo tick; done")},
                                     {"_meta", {{"progressToken", 5}}}});
  const auto told = client_.heard([](const json::object& each) {
    return each.contains("method") && each.at("method").as_string() == "notifications/progress" &&
           each.at("params").as_object().contains("message");
  });
  ASSERT_TRUE(told);
  EXPECT_EQ(text(told->at("params"), "/message"), "tick");
  client_.notify("notifications/cancelled", {{"requestId", id}});
  ready();
  EXPECT_EQ(text(run("echo free"), "/output"), "free\n");
  client_.line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"ping"})");
  EXPECT_TRUE(client_.answer(id).at("result").as_object().empty()) << "no answer to what was cancelled";
}

TEST_F(RunTest, WhatIsNoShellIsRefused) {
  spawn(client_, "b", {"vim", "--clean"});
  client_.tool("pty_wait", {{"session", "b"}, {"until", "ready"}, {"timeout_ms", 60'000}});
  EXPECT_EQ("PTY_BUSY", client_.tool_error("pty_run", {{"session", "b"}, {"command", "ls"}}));
}

}  // namespace
}  // namespace mcp_test
