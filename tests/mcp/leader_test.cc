// SPDX-License-Identifier: Apache-2.0
// The leader's way, all of it over MCP: a message tells of a stuck worker; the leader reads its terminal,
// talks to its shell, captures evidence and sends it with a task. Afterwards the audit has every step, and
// who it was.
#include <cstdlib>
#include <gmock/gmock.h>
#include <set>

#include "mcp_client.h"
#include "support/temp_dir.h"

namespace mcp_test {
namespace {

using testing::HasSubstr;

class LeaderTest : public McpTest {
 protected:
  // A server for an agent of this name.
  static std::unique_ptr<McpClient> agent(const char* name) {
    ::setenv("TEND_AGENT_ID", name, 1);
    // At a dumb terminal a shell shows a part of what was typed.
    ::setenv("TERM", "xterm-256color", 1);
    auto client = std::make_unique<McpClient>();
    ::unsetenv("TEND_AGENT_ID");
    client->initialize();
    return client;
  }
  static std::string text(const json::value& value, std::string_view pointer) {
    return std::string(value.at_pointer(pointer).as_string());
  }
  support::TempDir work_;
};

TEST_F(LeaderTest, FindsAStuckWorkerAndSendsATaskWithEvidence) {
  const auto worker = agent("worker-1");
  const std::string session = text(worker->tool("pty_spawn", {{"name", "work"},
                                                              {"command", {"bash", "--norc", "--noprofile"}},
                                                              {"cwd", work_.path().string()}}),
                                   "/session");
  worker->tool("pty_run",
               {{"session", session},
                {"command",
                 "git init -q . && echo draft > notes.txt && git add notes.txt && git "
                 "-c user.name=w -c user.email=w@example.org commit -qm one && echo more >> notes.txt"},
                {"timeout_ms", 60'000}});
  worker->tool("inbox_send",
               {{"to", "leader"}, {"subject", "stuck"}, {"body", "session " + session + " does not go on"}});

  const auto leader = agent("leader");
  const json::object inbox = leader->tool("inbox_list", {{"to", "leader"}});
  ASSERT_EQ(1U, inbox.at("messages").as_array().size());
  EXPECT_EQ(text(inbox, "/messages/0/subject"), "stuck");
  const std::string thread = text(inbox, "/messages/0/thread");
  EXPECT_THAT(text(leader->tool("k_pty", {{"action", "read"}, {"session_id", session}}), "/data"),
              HasSubstr("git"));
  const json::object talked = leader->tool("k_pty", {{"action", "talk"},
                                                     {"session_id", session},
                                                     {"command", "git status --short"},
                                                     {"timeout_ms", 60'000}});
  EXPECT_EQ(text(talked, "/output"), " M notes.txt\n");
  EXPECT_EQ(talked.at("exit_code").as_int64(), 0);
  const std::string evidence = text(
      leader->tool("evidence_capture", {{"session", session}, {"note", "not committed"}, {"thread", thread}}),
      "/evidence_id");
  leader->tool("inbox_send", {{"to", "worker-1"},
                              {"subject", "unblock"},
                              {"body", "commit notes.txt"},
                              {"thread", thread},
                              {"evidence", {evidence}}});

  const json::object task = worker->tool("inbox_claim", {{"to", "worker-1"}});
  EXPECT_THAT(json::serialize(task), HasSubstr(evidence));
  worker->tool("inbox_done", {{"id", task.at("message").at("id")}, {"result", "done"}});

  host_test::Peer watcher = peer();
  const json::value rows = watcher.ok("audit.export", {{"agent", "leader"}, {"limit", 1000}});
  std::set<std::string> actions;
  bool run_has_evidence = false;
  bool capture_has_evidence = false;
  for (const json::value& row : rows.as_array()) {
    const std::string action = text(row, "/action");
    actions.insert(action);
    EXPECT_EQ(text(row, "/channel"), "mcp");
    const bool linked = row.as_object().contains("evidence_id") && row.at("evidence_id").is_string();
    run_has_evidence = run_has_evidence || (action == "run" && linked);
    capture_has_evidence = capture_has_evidence || (linked && text(row, "/evidence_id") == evidence);
  }
  EXPECT_TRUE(actions.contains("read")) << json::serialize(rows);
  EXPECT_TRUE(actions.contains("run")) << json::serialize(rows);
  EXPECT_TRUE(run_has_evidence) << "what an agent runs is kept as evidence by itself: "
                                << json::serialize(rows);
  EXPECT_TRUE(capture_has_evidence) << json::serialize(rows);
  EXPECT_TRUE(watcher.ok("audit.verify").at("ok").as_bool());
}

}  // namespace
}  // namespace mcp_test
