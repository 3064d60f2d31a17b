// SPDX-License-Identifier: Apache-2.0
// The protocol itself: beginning and end, versions, and everything that a client should not say.
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "mcp_client.h"

namespace mcp_test {
namespace {

TEST_F(McpTest, InitializesWithTheVersionThatTheClientAsksForAndElseTheNewest) {
  for (const auto& [asked, given] : {std::pair{"2025-11-25", "2025-11-25"},
                                     {"2025-06-18", "2025-06-18"},
                                     {"2025-03-26", "2025-03-26"},
                                     {"2024-11-05", "2024-11-05"},
                                     {"2019-01-01", "2025-11-25"},
                                     {"", "2025-11-25"}}) {
    McpClient client;
    const json::object said = client.initialize(asked);
    EXPECT_EQ(said.at("protocolVersion").as_string(), given);
    EXPECT_EQ(said.at("serverInfo").at("name").as_string(), "tend");
    EXPECT_TRUE(said.at("capabilities").as_object().contains("tools"));
    EXPECT_FALSE(client.result("tools/list").at("tools").as_array().empty());
    client.close_input();
    EXPECT_EQ(0, client.wait_exit());
  }
  EXPECT_FALSE(std::filesystem::exists(home_.socket())) << "nothing of this needs a daemon";
}

TEST_F(McpTest, RefusesRequestsBeforeInitializeButNotPing) {
  McpClient client;
  EXPECT_TRUE(client.result("ping").empty());
  EXPECT_EQ(-32600, client.error("tools/list"));
  EXPECT_EQ(-32600, client.error("tools/call", {{"name", "pty_list"}}));
  EXPECT_EQ(-32602, client.error("initialize", {{"protocolVersion", 7}}));
  client.initialize();
  EXPECT_EQ(-32600, client.error("initialize", {{"protocolVersion", "2025-11-25"}})) << "once is enough";
  EXPECT_TRUE(client.result("ping").empty());
}

TEST_F(McpTest, EveryErrorHasTheNumberThatTheSpecificationGivesIt) {
  McpClient client;
  client.initialize();
  EXPECT_EQ(-32700, client.error_of_line("{\"jsonrpc\": \"2.0\", "));
  EXPECT_EQ(-32700, client.error_of_line("hello"));
  EXPECT_EQ(-32700, client.error_of_line("\xff\xfe\x00garbage"));
  EXPECT_EQ(-32700, client.error_of_line(std::string(100, '[') + std::string(100, ']'))) << "nested too deep";
  EXPECT_EQ(-32600, client.error_of_line("17"));
  EXPECT_EQ(-32600, client.error_of_line("{\"id\": 1, \"method\": \"ping\"}")) << "no version";
  EXPECT_EQ(-32600, client.error_of_line(R"({"jsonrpc":"2.0","id":1})"));
  EXPECT_EQ(-32600, client.error_of_line(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"));
  EXPECT_EQ(-32600, client.error_of_line(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"));
  EXPECT_EQ(-32600, client.error_of_line(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"));
  EXPECT_EQ(-32600, client.error_of_line(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")) << "a batch";
  EXPECT_EQ(-32601, client.error("prompts/list"));
  EXPECT_EQ(-32601, client.error("nonsense"));
  EXPECT_EQ(-32602, client.error("tools/call"));
  EXPECT_EQ(-32602, client.error("tools/call", {{"name", "no_such_tool"}}));
  EXPECT_EQ(-32602, client.error("tools/call", {{"name", "pty_list"}, {"arguments", 3}}));
  EXPECT_EQ(-32602, client.error("tools/list", {{"cursor", "x"}}));
  EXPECT_EQ(-32602, client.error("logging/setLevel", {{"level", "loud"}}));
  EXPECT_EQ(-32602, client.error("resources/read"));
  EXPECT_EQ(-32002, client.error("resources/read", {{"uri", "file:///etc/passwd"}}));
  EXPECT_TRUE(client.result("ping").empty()) << "and it goes on";
}

TEST_F(McpTest, WrongArgumentsAreAnErrorOfTheProtocolInEarlierVersions) {
  McpClient client;
  client.initialize("2025-06-18");
  const auto whole =
      client.answer(client.request("tools/call", {{"name", "pty_read"}, {"arguments", json::object()}}));
  EXPECT_EQ(whole.at("error").at("code").as_int64(), -32602);
  EXPECT_EQ(whole.at("error").at_pointer("/data/code").as_string(), "INVALID_PARAM");
  EXPECT_EQ(whole.at("error").at("message").as_string(), "pty_read: the parameter 'session' is missing");
}

TEST_F(McpTest, WrongArgumentsAreNamedToTheModel) {
  McpClient client;
  client.initialize();
  const auto message = [&](json::object arguments) {
    const json::object result =
        client.result("tools/call", {{"name", "pty_read"}, {"arguments", std::move(arguments)}});
    EXPECT_TRUE(result.at("isError").as_bool());
    const json::value& error = result.at("structuredContent").at("error");
    EXPECT_EQ(error.at("code").as_string(), "INVALID_PARAM");
    return std::string(error.at("message").as_string());
  };
  EXPECT_EQ(message({}), "pty_read: the parameter 'session' is missing");
  EXPECT_EQ(message({{"session", 1}}), "pty_read: the parameter 'session' must be of kind: text");
  EXPECT_EQ(message({{"session", "a"}, {"pty", 64}}), "pty_read: the parameter 'pty' must be from 0 to 63");
  EXPECT_EQ(message({{"session", "a"}, {"pty", 1.5}}),
            "pty_read: the parameter 'pty' must be of kind: integer");
  EXPECT_EQ(message({{"session", "a"}, {"x", 1}}), "pty_read: there is no parameter 'x'");
}

TEST_F(McpTest, BatchesAreAnsweredWhereTheVersionHasThem) {
  McpClient client;
  client.initialize("2025-03-26");
  client.line(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pty_list"}},5])");
  const auto said = client.heard([](const json::object& each) { return each.contains("batch"); });
  ASSERT_TRUE(said);
  EXPECT_EQ(3U, said->at("batch").as_array().size()) << json::serialize(*said);
  EXPECT_EQ(-32600, client.error_of_line("[]"));
  std::string many = "[1";
  for (int i = 0; i < 500; i++) many += ",1";
  EXPECT_EQ(-32600, client.error_of_line(many + "]"));
}

// In KiB. A sanitizer has memory of its own for each byte.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kMostGrown = 56 << 10;  // of the 64 MiB that are sent
constexpr long kMostInUse = 112 << 10;
#else
constexpr long kMostGrown = 24 << 10;
constexpr long kMostInUse = 48 << 10;
#endif

TEST_F(McpTest, ALineThatIsTooLongIsRefusedWithoutBeingKept) {
  McpClient client;
  client.initialize();
  const auto memory = [&] {
    const std::string text = support::read_file("/proc/" + std::to_string(client.pid()) + "/status");
    return std::stol(text.substr(text.find("VmHWM:") + 6));
  };
  const long before = memory();
  const std::string piece(1 << 20, 'x');
  client.write(R"({"jsonrpc":"2.0","id":1,"method":")");
  for (int i = 0; i < 64; i++) client.write(piece);
  client.write("\"}\n");
  const auto said = client.heard([](const json::object& each) { return each.contains("error"); });
  ASSERT_TRUE(said);
  EXPECT_EQ(said->at("error").at("code").as_int64(), -32600);
  EXPECT_TRUE(client.result("ping").empty());
  EXPECT_LT(memory() - before, kMostGrown) << "KiB";
}

TEST_F(McpTest, LinesMayComeInAnyPieces) {
  McpClient client;
  client.initialize();
  for (const char c : std::string_view(
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\n{\"jsonrpc\":\"2.0\",\"id\":2,"))
    client.write({&c, 1});
  EXPECT_TRUE(client.answer(1).contains("result"));
  client.write("\"method\":\"ping\"}");
  client.close_input();
  EXPECT_TRUE(client.answer(2).contains("result")) << "the last line needs no end";
  EXPECT_EQ(0, client.wait_exit());
}

TEST_F(McpTest, EndsWithItsInput) {
  McpClient early;
  early.close_input();
  EXPECT_EQ(0, early.wait_exit());

  McpClient client;
  client.initialize();
  spawn(client, "a", {"cat"});
  client.request("tools/call",
                 {{"name", "pty_wait"}, {"arguments", {{"session", "a"}, {"until", "exited"}}}});
  client.close_input();
  EXPECT_EQ(0, client.wait_exit()) << "nobody is left to wait for the answer";
  EXPECT_EQ("", client.errors());
}

TEST_F(McpTest, EndsWhenNobodyReadsItsOutput) {
  int in[2];
  int out[2];
  ASSERT_EQ(0, ::pipe2(in, O_CLOEXEC));
  ASSERT_EQ(0, ::pipe2(out, O_CLOEXEC));
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::execl(TEND, TEND, "mcp", nullptr);
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  ::close(out[0]);
  int status = -1;
  EXPECT_TRUE(support::wait_until([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  EXPECT_EQ(0, status);
  ::close(in[1]);
}

// More requests than their answers fit into the pipe: the server stops reading rather than gathering them.
TEST_F(McpTest, AClientThatDoesNotReadIsNotServedFurther) {
  McpClient client;
  client.initialize();
  std::string lines;
  for (int i = 0; i < 2000; i++)
    lines += R"({"jsonrpc":"2.0","id":)" + std::to_string(1000 + i) +
             R"(,"method":"tools/list"})"
             "\n";
  std::thread writer([&] { client.write(lines); });
  int answers = 0;
  while (client.heard([](const json::object& each) { return each.contains("result"); })) {
    if (++answers == 2000) break;
  }
  writer.join();
  EXPECT_EQ(2000, answers);
  const std::string text = support::read_file("/proc/" + std::to_string(client.pid()) + "/status");
  EXPECT_LT(std::stol(text.substr(text.find("VmHWM:") + 6)), kMostInUse);
}

TEST_F(McpTest, AnswersWhenTheDaemonWasKilledAndWaitsGoOnWithTheNext) {
  McpClient client;
  client.initialize();
  client.result("logging/setLevel", {{"level", "warning"}});
  spawn(client, "a", {"sh", "-c", "echo hello; exec cat"});
  client.tool("pty_wait", {{"session", "a"}, {"until", "text"}, {"pattern", "hello"}});
  const int64_t wait = client.request(
      "tools/call",
      {{"name", "pty_wait"},
       {"arguments", {{"session", "a"}, {"until", "text"}, {"pattern", "later"}, {"timeout_ms", 60'000}}}});
  // It has come so far when another that came behind it is answered.
  client.tool("pty_list");
  for (int round = 0; round < 3; round++) {
    const auto pid = peer().ok("daemon.status").at("pid").as_int64();
    ASSERT_EQ(0, ::kill(static_cast<pid_t>(pid), SIGKILL));
    const json::object list = client.tool("pty_list");
    ASSERT_EQ(1U, list.at("ptys").as_array().size()) << json::serialize(list);
    EXPECT_TRUE(client.heard("notifications/message")) << "and says what happened";
  }
  client.tool("pty_write", {{"session", "a"}, {"data", "later"}, {"enter", true}});
  EXPECT_EQ(client.answer(wait).at("result").at_pointer("/structuredContent/reason").as_string(), "text");
}

TEST_F(McpTest, LogsGoToTheClientFromTheLevelItAsksFor) {
  McpClient client;
  client.initialize();
  client.tool("pty_list");
  EXPECT_TRUE(client.result("logging/setLevel", {{"level", "debug"}}).empty());
  client.tool("pty_list");
  const auto said = client.heard("notifications/message");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->at("params").at("level").as_string(), "debug");
  EXPECT_EQ(said->at("params").at("logger").as_string(), "tend");
  EXPECT_EQ("", client.errors());
}

}  // namespace
}  // namespace mcp_test
