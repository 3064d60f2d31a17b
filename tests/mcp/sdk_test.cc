// SPDX-License-Identifier: Apache-2.0
// What others wrote speaks to it: the SDK's client (client.mjs) and the inspector's command line.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "mcp/tool.h"
#include "mcp_client.h"
#include "support/temp_dir.h"
#include "support/terminal.h"

namespace mcp_test {
namespace {

using testing::HasSubstr;

struct Said {
  int code;
  std::string out;
  std::string err;
};

// A shell command where the packages are.
Said run(const std::string& command) {
  const support::TempDir files;
  support::Terminal terminal({.argv = {"sh", "-c",
                                       "cd '" MCP_PACKAGES "' && " + command + " > " + files.file("out") +
                                           " 2> " + files.file("err") + " < /dev/null"}});
  const int status = terminal.wait_exit(std::chrono::seconds(180)).value_or(-1);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, support::read_file(files.file("out")),
          support::read_file(files.file("err"))};
}

TEST_F(McpTest, TheSdksClientCallsEveryToolAndItsSchemasHold) {
  const Said said = run(NODE " '" MCP_CLIENT "' '" TEND "'");
  ASSERT_EQ(0, said.code) << said.err;
  const json::value report = json::parse(said.out);
  EXPECT_EQ(report.at("tools").as_array().size(), mcp::tools().size());
  EXPECT_EQ(json::serialize(report.at("invalid")), "[]");
  EXPECT_EQ(json::serialize(report.at("errors")), "{}");
  for (const mcp::Tool& each : mcp::tools())
    EXPECT_TRUE(report.at("called").as_object().contains(each.name)) << each.name;
  EXPECT_EQ(report.at_pointer("/called/pty_run/output").as_string(), "one\ntwo\n");
  EXPECT_EQ(report.at_pointer("/called/pty_run/exit_code").as_int64(), 3);
  EXPECT_EQ(report.at_pointer("/called/k_pty/output").as_string(), "talked\n");
  EXPECT_EQ(report.at("cancelled_run").as_string(), "cancelled");
  EXPECT_EQ(report.at("prompts").as_int64(), 1);
  EXPECT_EQ(report.at("cancelled_wait").as_string(), "cancelled");
  EXPECT_EQ(report.at_pointer("/after_cancel/reason").as_string(), "ready");
  EXPECT_GT(report.at("logs").as_int64(), 0);
  EXPECT_EQ(report.at("resources").as_int64(), 4);
  EXPECT_EQ(report.at("templates").as_int64(), 2);
  EXPECT_THAT(std::string(report.at("screen").as_string()), HasSubstr("written"));
}

TEST_F(McpTest, TheInspectorListsTheToolsAndCallsOne) {
  const std::string inspect =
      NODE " node_modules/@modelcontextprotocol/inspector-cli/build/cli.js --cli '" TEND "' mcp ";
  const Said list = run(inspect + "--method tools/list");
  ASSERT_EQ(0, list.code) << list.err;
  EXPECT_EQ(json::parse(list.out).at("tools").as_array().size(), mcp::tools().size());
  const Said called =
      run(inspect + "--method tools/call --tool-name k_pty --tool-arg action=spawn shell=/bin/cat");
  ASSERT_EQ(0, called.code) << called.err;
  EXPECT_TRUE(json::parse(called.out).at_pointer("/structuredContent/ok").as_bool()) << called.out;
  const Said resources = run(inspect + "--method resources/list");
  ASSERT_EQ(0, resources.code) << resources.err;
  EXPECT_EQ(json::parse(resources.out).at("resources").as_array().size(), 2U);
}

}  // namespace
}  // namespace mcp_test
