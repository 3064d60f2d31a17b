// SPDX-License-Identifier: Apache-2.0
// The tools on real programs in a real daemon.
#include <gmock/gmock.h>

#include "mcp_client.h"

namespace mcp_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ToolsTest : public McpTest {
 protected:
  void SetUp() override { client_.initialize(); }
  // Of what a session shows.
  bool shows(const std::string& session, const std::string& pattern) {
    return client_
               .tool("pty_wait",
                     {{"session", session}, {"until", "text"}, {"pattern", pattern}, {"timeout_ms", 60'000}})
               .at("reason")
               .as_string() == "text";
  }
  static std::string text(const json::value& value, std::string_view pointer) {
    return std::string(value.at_pointer(pointer).as_string());
  }
  McpClient client_;
};

TEST_F(ToolsTest, ASessionIsOpenedTypedIntoReadResizedAndEnded) {
  const json::object opened = client_.tool(
      "pty_spawn",
      {{"name", "web"}, {"command", {"cat"}}, {"cols", 90}, {"rows", 20}, {"labels", {{"team", "red"}}}});
  EXPECT_EQ(opened.at("name").as_string(), "web");
  EXPECT_EQ(opened.at("pty").as_int64(), 0);
  EXPECT_EQ(opened.at("cwd").as_string(), std::filesystem::current_path().string());
  const json::object shell = client_.tool("pty_spawn", {{"session", "web"}, {"shell", "/bin/sh"}});
  EXPECT_EQ(shell.at("pty").as_int64(), 1);
  EXPECT_EQ(shell.at("session"), opened.at("session"));

  const json::object sent =
      client_.tool("pty_write", {{"session", "web"}, {"data", "C-c is text"}, {"enter", true}});
  EXPECT_EQ(sent.at("bytes").as_int64(), 12);
  EXPECT_TRUE(shows("web", "C-c is text"));
  const json::object read = client_.tool("pty_read", {{"session", "web"}, {"since", sent.at("offset")}});
  EXPECT_THAT(text(read, "/data"), StartsWith("C-c is text"));
  EXPECT_TRUE(read.at("alive").as_bool());

  EXPECT_EQ(client_.tool("pty_resize", {{"session", "web"}, {"cols", 50}, {"rows", 10}}).at("cols"), 50);
  EXPECT_EQ(client_.tool("pty_screen", {{"session", "web"}}).at("rows"), 10);
  EXPECT_EQ(client_.tool("pty_kill", {{"session", "web"}, {"pty", 1}}).at("survivors"), 0);
  client_.tool("pty_send_keys", {{"session", "web"}, {"keys", {"C-d"}}});
  EXPECT_EQ(client_.tool("pty_wait", {{"session", "web"}, {"until", "exited"}}).at("exit_code"), 0);
  EXPECT_TRUE(client_.tool("pty_list").at("ptys").as_array().empty());
  EXPECT_EQ(2U, client_.tool("pty_list", {{"all", true}}).at("ptys").as_array().size());
}

TEST_F(ToolsTest, FailuresAreResultsWithTheirCode) {
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", client_.tool_error("pty_screen", {{"session", "none"}}));
  EXPECT_EQ("PTY_SPAWN_FAILED", client_.tool_error("pty_spawn", {{"command", {"/no/such/program"}}}));
  EXPECT_EQ("PROMPT_NOT_FOUND", client_.tool_error("prompt_answer", {{"prompt_id", "x"}, {"answer", "y"}}));
  spawn(client_, "a", {"cat"});
  EXPECT_EQ("INVALID_PARAM", client_.tool_error("pty_send_keys", {{"session", "a"}, {"keys", {"Hyper-x"}}}));
  EXPECT_EQ("PTY_TIMEOUT",
            client_.tool_error("pty_wait", {{"session", "a"}, {"until", "exited"}, {"timeout_ms", 50}}));
  EXPECT_EQ("MESSAGE_TOO_LARGE",
            client_.tool_error("pty_write", {{"session", "a"}, {"data", std::string(2 << 20, 'x')}}));
  EXPECT_EQ("MESSAGE_TOO_LARGE",
            client_.tool_error("pty_screen", {{"session", "a"}, {"format", "svg"}, {"max_chars", 100}}));
}

TEST_F(ToolsTest, TextIsBoundedAndTheNewestIsKept) {
  spawn(client_, "a", {"sh", "-c", "seq 1 20000; echo größe; exec cat"});
  ASSERT_TRUE(shows("a", "größe"));
  const json::object usual = client_.tool("pty_read", {{"session", "a"}});
  EXPECT_TRUE(usual.at("truncated").as_bool());
  EXPECT_THAT(text(usual, "/data"), EndsWith("20000\r\ngröße\r\n"));
  EXPECT_EQ(12'000U + 2, text(usual, "/data").size()) << "characters, of which two have two bytes";
  const json::object little = client_.tool("pty_read", {{"session", "a"}, {"max_chars", 100}});
  EXPECT_EQ(102U, text(little, "/data").size());
  const json::object screen = client_.tool("pty_screen", {{"session", "a"}, {"scrollback", 9000}});
  EXPECT_TRUE(screen.at("truncated").as_bool());
  EXPECT_THAT(text(screen, "/data"), EndsWith("20000\ngröße\n"));
  EXPECT_FALSE(client_.tool("pty_screen", {{"session", "a"}}).at("truncated").as_bool());
}

TEST_F(ToolsTest, AResultIsTextAndStructure) {
  spawn(client_, "a", {"sh", "-c", "echo hello; exec cat"});
  ASSERT_TRUE(shows("a", "hello"));
  const json::value said =
      client_.result("tools/call", {{"name", "pty_screen"}, {"arguments", {{"session", "a"}}}});
  EXPECT_EQ(text(said, "/content/0/text"), "hello\n");
  const json::value rest = json::parse(text(said, "/content/1/text"));
  EXPECT_EQ(rest.at("cols"), said.at_pointer("/structuredContent/cols"));
  EXPECT_EQ(text(said, "/structuredContent/data"), "hello\n");
}

TEST_F(ToolsTest, QuestionsAreListedAndAnswered) {
  spawn(client_, "a", {"bash", "-c", "read -p 'Deploy? [y/N] ' a; echo \"got <$a>\"; exec cat"});
  const json::object came =
      client_.tool("pty_wait", {{"session", "a"}, {"until", "waiting"}, {"timeout_ms", 60'000}});
  const json::object list = client_.tool("prompt_list");
  ASSERT_EQ(1U, list.at("prompts").as_array().size());
  EXPECT_EQ(text(list, "/prompts/0/id"), text(came, "/prompt/id"));
  const auto id = list.at("prompts").as_array().at(0).at("id");
  EXPECT_EQ(client_.tool("prompt_answer", {{"prompt_id", id}, {"answer", "yes"}}).at("bytes"), 2);
  EXPECT_TRUE(shows("a", "got <y>"));
  EXPECT_EQ("PROMPT_STALE", client_.tool_error("prompt_answer", {{"prompt_id", id}, {"answer", "yes"}}));
}

TEST_F(ToolsTest, KPtyDoesWhatTheOtherToolsDo) {
  const auto k_pty = [&](json::object arguments) { return client_.tool("k_pty", std::move(arguments)); };
  EXPECT_THAT(text(k_pty({{"action", "help"}}), "/help"), HasSubstr("k_pty(action"));
  const json::object opened = k_pty({{"action", "spawn"}, {"shell", "/bin/cat"}, {"cols", 80}, {"rows", 24}});
  EXPECT_TRUE(opened.at("ok").as_bool());
  const auto id = opened.at("session");
  EXPECT_EQ(k_pty({{"action", "write"}, {"session_id", id}, {"data", "hi\n"}}).at("bytes"), 3);
  EXPECT_TRUE(shows(std::string(id.as_string()), "hi"));
  EXPECT_THAT(text(k_pty({{"action", "read"}, {"session_id", id}, {"max_bytes", 1000}}), "/data"),
              HasSubstr("hi"));
  EXPECT_EQ(k_pty({{"action", "resize"}, {"session_id", id}, {"cols", 70}, {"rows", 20}}).at("rows"), 20);
  EXPECT_EQ(1U, k_pty({{"action", "list"}}).at("ptys").as_array().size());
  EXPECT_EQ(1U, k_pty({{"action", "resolve"}, {"agent", "cat"}}).at("ptys").as_array().size());
  EXPECT_EQ(0U, k_pty({{"action", "resolve"}, {"agent", "bash"}}).at("ptys").as_array().size());
  EXPECT_EQ(k_pty({{"action", "kill"}, {"session_id", id}}).at("survivors"), 0);
  const json::object gone = client_.result(
      "tools/call", {{"name", "k_pty"}, {"arguments", {{"action", "read"}, {"session_id", "none"}}}});
  EXPECT_FALSE(gone.at("structuredContent").at("ok").as_bool());
  for (const json::object& wrong :
       {json::object{{"action", "dance"}}, json::object{{"action", "resolve"}},
        json::object{{"action", "write"}, {"session_id", "x"}, {"command", "ls"}}})
    EXPECT_TRUE(
        client_.result("tools/call", {{"name", "k_pty"}, {"arguments", wrong}}).at("isError").as_bool());
}

TEST_F(ToolsTest, APtyIsFoundByLabelOwnerAndProgram) {
  client_.tool("pty_spawn", {{"name", "one"}, {"command", {"cat"}}, {"labels", {{"team", "red"}}}});
  client_.tool("pty_spawn", {{"name", "two"}, {"command", {"sleep", "60"}}, {"labels", {{"team", "blue"}}}});
  const auto names = [&](json::object arguments) {
    std::vector<std::string> found;
    const json::object list = client_.tool("pty_list", std::move(arguments));
    for (const auto& each : list.at("ptys").as_array()) found.emplace_back(each.at("name").as_string());
    return found;
  };
  using testing::ElementsAre;
  EXPECT_THAT(names({}), ElementsAre("one", "two"));
  EXPECT_THAT(names({{"label", "team"}}), ElementsAre("one", "two"));
  EXPECT_THAT(names({{"label", "team=blue"}}), ElementsAre("two"));
  EXPECT_THAT(names({{"agent", "cat"}}), ElementsAre("one"));
  EXPECT_THAT(names({{"owner", "somebody"}}), ElementsAre());
  EXPECT_THAT(names({{"owner", "tester pid:" + std::to_string(client_.pid())}}), ElementsAre("one", "two"));
  EXPECT_THAT(names({{"session", "two"}}), ElementsAre("two"));
}

TEST_F(ToolsTest, ScreensAndOutputAreResources) {
  const std::string id = spawn(client_, "a", {"sh", "-c", "echo hello; exec cat"});
  ASSERT_TRUE(shows("a", "hello"));
  const json::value list = client_.result("resources/list");
  ASSERT_EQ(2U, list.at("resources").as_array().size());
  EXPECT_EQ(text(list, "/resources/0/uri"), "tend://session/" + id + "/0/screen");
  const json::value screen = client_.result("resources/read", {{"uri", text(list, "/resources/0/uri")}});
  EXPECT_THAT(text(screen, "/contents/0/text"), StartsWith("hello\n"));
  const json::value log = client_.result("resources/read", {{"uri", text(list, "/resources/1/uri")}});
  EXPECT_THAT(text(log, "/contents/0/text"), StartsWith("hello\r\n"));
  EXPECT_EQ(2U, client_.result("resources/templates/list").at("resourceTemplates").as_array().size());
  EXPECT_EQ(-32002, client_.error("resources/read", {{"uri", "tend://session/nobody/0/screen"}}));
  EXPECT_EQ(-32602, client_.error("resources/list", {{"cursor", "nonsense"}}));
}

TEST_F(ToolsTest, LongWaitsTellTheirProgressAndCanBeCancelled) {
  spawn(client_, "a", {"cat"});
  const int64_t wait = client_.request(
      "tools/call", {{"name", "pty_wait"},
                     {"arguments", {{"session", "a"}, {"until", "exited"}, {"timeout_ms", 60'000}}},
                     {"_meta", {{"progressToken", "p1"}}}});
  int64_t last = 0;
  for (int i = 0; i < 2; i++) {
    const auto said = client_.heard("notifications/progress");
    ASSERT_TRUE(said);
    EXPECT_EQ(said->at("params").at("progressToken").as_string(), "p1");
    EXPECT_EQ(said->at("params").at("total").as_int64(), 60'000);
    EXPECT_LT(last, said->at("params").at("progress").as_int64());
    last = said->at("params").at("progress").as_int64();
  }
  client_.notify("notifications/cancelled", {{"requestId", wait}, {"reason", "enough"}});
  client_.notify("notifications/cancelled", {{"requestId", 9999}});
  // The daemon has one client less, and the id may be used again.
  host_test::Peer watcher = peer();
  EXPECT_TRUE(support::wait_until([&] { return watcher.ok("daemon.status").at("clients").as_int64() == 2; }));
  client_.line(R"({"jsonrpc":"2.0","id":)" + std::to_string(wait) + R"(,"method":"ping"})");
  EXPECT_TRUE(client_.answer(wait).at("result").as_object().empty()) << "no answer to what was cancelled";
}

TEST_F(ToolsTest, ManyCallsAreUnderWaySideBySide) {
  spawn(client_, "a", {"cat"});
  std::vector<int64_t> waits;
  for (int i = 0; i < 50; i++)
    waits.push_back(client_.request(
        "tools/call",
        {{"name", "pty_wait"},
         {"arguments", {{"session", "a"}, {"until", "text"}, {"pattern", "now"}, {"timeout_ms", 60'000}}}}));
  client_.tool("pty_write", {{"session", "a"}, {"data", "now"}, {"enter", true}});
  for (const int64_t each : waits) EXPECT_TRUE(client_.answer(each).contains("result"));
}

TEST_F(ToolsTest, WhatWasDoneStandsInTheAuditUnderTheClientsName) {
  spawn(client_, "a", {"cat"});
  client_.tool("pty_write", {{"session", "a"}, {"data", "hi"}});
  const json::value rows = peer().ok("audit.show", {{"action", "write"}});
  ASSERT_EQ(1U, rows.as_array().size());
  EXPECT_EQ(text(rows, "/0/channel"), "mcp");
  EXPECT_EQ(text(rows, "/0/agent"), "tester pid:" + std::to_string(client_.pid()));
  EXPECT_EQ(text(rows, "/0/text"), "hi");
}

}  // namespace
}  // namespace mcp_test
