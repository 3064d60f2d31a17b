// SPDX-License-Identifier: Apache-2.0
// pty.run in programs that read commands and are no shells: python, node, sqlite3, gdb.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::HasSubstr;

class RunInRepl : public DaemonTest {
 protected:
  void start(const json::array& command, const std::string& prompt) {
    peer_.emplace(peer());
    peer_->ok("session.create", {{"name", "repl"}, {"command", command}});
    ASSERT_TRUE(prints(*peer_, "repl", prompt));
  }
  void expect_ran(const std::string& text, const std::string& output) {
    const json::value ran = peer_->ok("pty.run", {{"session", "repl"}, {"command", text}});
    if (!ran.is_object()) return;
    EXPECT_EQ(output, std::string(ran.at("output").as_string())) << text;
    EXPECT_TRUE(ran.at("exit_code").is_null());
  }
  std::string code(const std::string& text, int64_t timeout_ms = 30000) {
    return peer_->code("pty.run", {{"session", "repl"}, {"command", text}, {"timeout_ms", timeout_ms}});
  }

  std::optional<Peer> peer_;
};

TEST_F(RunInRepl, Python) {
  start({"python3", "-q"}, ">>> ");
  expect_ran("1 + 1", "2\n");
  expect_ran("x = 5", "");
  expect_ran("x", "5\n");
  expect_ran("print('no newline', end='')", "no newline");
  expect_ran("print('漢字 ü')", "漢字 ü\n");
  expect_ran("for i in range(3):\n  print(i)", "0\n1\n2\n");
  expect_ran("def double(n):\n  return n * 2", "");
  expect_ran("double(21)", "42\n");
  expect_ran("print('\\033[1mbold\\033[0m')", "bold\n");
  expect_ran("print('>>> ')", ">>> \n");
  expect_ran("print('x' * 500)", std::string(500, 'x') + "\n");
  expect_ran("'" + std::string(200, 'y') + "'", "'" + std::string(200, 'y') + "'\n");
  EXPECT_EQ("PTY_BUSY", code("(1,"));
  expect_ran("2)", "(1, 2)\n");
  EXPECT_EQ("PTY_BUSY", code("input('name: ')"));
  peer_->ok("pty.write", {{"session", "repl"}, {"data", "Ada"}, {"enter", true}});
  ASSERT_TRUE(prints(*peer_, "repl", "'Ada'"));
  expect_ran("print('again')", "again\n");
  EXPECT_EQ("INVALID_PARAM", code("print('\t')"));
}

TEST_F(RunInRepl, PythonWithTenMegabytes) {
  start({"python3", "-q"}, ">>> ");
  const json::value ran =
      peer_->ok("pty.run", {{"session", "repl"},
                            {"command", "print('\\n'.join(str(i) for i in range(1500000)))"},
                            {"max_bytes", 100},
                            {"timeout_ms", 60000}});
  EXPECT_TRUE(ran.at("truncated").as_bool());
  EXPECT_EQ(10'888'890, ran.at("output_bytes").as_int64());
  EXPECT_TRUE(std::string(ran.at("output").as_string()).ends_with("1499998\n1499999\n"));
}

TEST_F(RunInRepl, PythonForLongerThanTheTimeout) {
  start({"python3", "-q"}, ">>> ");
  EXPECT_EQ("PTY_TIMEOUT", code("import time; time.sleep(600)", 300));
  const json::value next =
      peer_->ok("pty.run", {{"session", "repl"}, {"command", "print('next')"}, {"interrupt", true}});
  EXPECT_THAT(std::string(next.at("output").as_string()), HasSubstr("next\n"));
}

TEST_F(RunInRepl, PythonThatEnds) {
  start({"python3", "-q"}, ">>> ");
  EXPECT_EQ("PTY_PROCESS_EXITED", code("exit(3)"));
}

TEST_F(RunInRepl, Node) {
  start({"node"}, "> ");
  expect_ran("1 + 1", "2\n");
  expect_ran("console.log('a\\nb'); let y = 5", "a\nb\nundefined\n");
  expect_ran("y * 2", "10\n");
  expect_ran("function seven() {\n  return 7\n}", "undefined\n");
  expect_ran("seven()", "7\n");
  EXPECT_EQ("INVALID_PARAM", code("{a: 1}"));
  expect_ran("({a: 1})", "{ a: 1 }\n");
}

TEST_F(RunInRepl, Sqlite) {
  start({"sqlite3"}, "sqlite> ");
  expect_ran("select 1;", "1\n");
  expect_ran("create table t (a);\ninsert into t values (1), (2);\nselect * from t;", "1\n2\n");
  EXPECT_EQ("PTY_BUSY", code("select 3"));
  expect_ran(";", "3\n");
}

TEST_F(RunInRepl, Gdb) {
  start({"gdb", "-q", "-nx"}, "(gdb) ");
  expect_ran("print 40 + 2", "$1 = 42\n");
  expect_ran("echo hi\\n", "hi\n");
}

TEST_F(RunInRepl, AScriptThatAsksIsNone) {
  start({"python3", "-c", "input('really? ')"}, "really? ");
  EXPECT_EQ("PTY_BUSY", code("print(1)"));
}

}  // namespace
}  // namespace host_test
