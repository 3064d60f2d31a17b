// SPDX-License-Identifier: Apache-2.0
// pty.run in REPLs, a table: each case of the shells that has a meaning in a REPL, in each of them. In every
// one the output is byte for byte what the program wrote, or there is an error, and the next run is right
// again.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

// `error`: the code that must come instead of an output.
struct Case {
  std::string about;
  std::string text;
  std::string output;
  std::string error = {};
};

struct Repl {
  std::string name;
  json::array command;
  std::string prompt;
  std::vector<Case> cases;  // one after the other in one program
  std::string megabytes;    // prints the numbers below 1,500,000, a line each,
  std::string behind;       // and behind them what the REPL itself says
  std::string forever;      // runs until it is interrupted
  std::string asks;         // reads a line from the terminal
  std::string answer;       // for it
  std::string dies;         // ends the program
  Case after;               // what runs behind each of these
};

std::ostream& operator<<(std::ostream& out, const Repl& repl) { return out << repl.name; }

std::string numbers() {
  std::string all;
  for (int i = 0; i < 1'500'000; i++) all += std::to_string(i) + "\n";
  return all;
}

class ReplTable : public DaemonTest, public testing::WithParamInterface<Repl> {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    peer_.emplace(peer());
    peer_->ok("session.create", {{"name", "repl"}, {"command", GetParam().command}, {"cwd", home_.path()}});
    ASSERT_TRUE(prints(*peer_, "repl", GetParam().prompt));
  }
  std::optional<wire::Response> ask(const std::string& text, json::object more = {}) {
    more["session"] = "repl";
    more["command"] = text;
    return peer_->answer(peer_->client().send("pty.run", std::move(more)));
  }
  void expect(const Case& each) {
    const auto answer = ask(each.text);
    ASSERT_TRUE(answer) << each.about;
    if (!answer->result) {
      EXPECT_EQ(each.error, base::code_name(answer->result.error().code))
          << each.about << ": " << answer->result.error().message();
      return;
    }
    EXPECT_EQ("", each.error) << each.about;
    const json::object& ran = answer->result->as_object();
    EXPECT_EQ(each.output, std::string(ran.at("output").as_string())) << each.about;
    EXPECT_TRUE(ran.at("exit_code").is_null()) << each.about;
    EXPECT_FALSE(ran.at("truncated").as_bool()) << each.about;
  }
  std::string error_of(const std::optional<wire::Response>& answer) {
    if (!answer) return "no answer";
    return answer->result ? "" : std::string(base::code_name(answer->result.error().code));
  }

  std::optional<Peer> peer_;
};

TEST_P(ReplTable, GivesExactlyWhatWasPrinted) {
  for (const Case& each : GetParam().cases) {
    expect(each);
    if (!each.error.empty() && each.error != "INVALID_PARAM") continue;
    expect(GetParam().after);
  }
}

TEST_P(ReplTable, TenMegabytes) {
  const auto answer =
      ask(GetParam().megabytes, {{"max_bytes", 12 << 20}, {"timeout_ms", 120'000}, {"encoding", "base64"}});
  // More than a message holds is cut in front, and says so.
  ASSERT_TRUE(answer && answer->result) << error_of(answer);
  const json::object& ran = answer->result->as_object();
  EXPECT_EQ(static_cast<int64_t>(numbers().size() + GetParam().behind.size()),
            ran.at("output_bytes").as_int64());
  expect(GetParam().after);
}

TEST_P(ReplTable, LongerThanTheTimeoutAndTheNextOne) {
  EXPECT_EQ("PTY_TIMEOUT", error_of(ask(GetParam().forever, {{"timeout_ms", 300}})));
  EXPECT_EQ("PTY_TIMEOUT", error_of(ask(GetParam().after.text, {{"timeout_ms", 300}})));
  const auto next = ask(GetParam().after.text, {{"interrupt", true}});
  ASSERT_TRUE(next && next->result) << error_of(next);
  EXPECT_TRUE(std::string(next->result->at("output").as_string()).ends_with(GetParam().after.output));
  expect(GetParam().after);
}

// Node is not among them: at its prompt its terminal is raw, for its children too.
class ReplThatAsks : public ReplTable {};

TEST_P(ReplThatAsks, OneThatReadsFromTheTerminal) {
  EXPECT_EQ("PTY_BUSY", error_of(ask(GetParam().asks)));
  peer_->ok("pty.write", {{"session", "repl"}, {"data", GetParam().answer}, {"enter", true}});
  ASSERT_TRUE(support::wait_until([&] { return error_of(ask(GetParam().after.text)).empty(); }));
  expect(GetParam().after);
}

TEST_P(ReplTable, OneThatEndsTheProgram) {
  EXPECT_EQ("PTY_PROCESS_EXITED", error_of(ask(GetParam().dies)));
  EXPECT_EQ("PTY_PROCESS_EXITED", error_of(ask(GetParam().after.text)));
}

Repl python() {
  return {.name = "Python",
          .command = {"python3", "-q"},
          .prompt = ">>> ",
          .cases = {{"plain", "print('hello')", "hello\n"},
                    {"nothing", "x = 5", ""},
                    {"no final newline", "print('foo', end='')", "foo"},
                    {"wide", "print('漢字 ü 👩‍👩‍👧')", "漢字 ü 👩‍👩‍👧\n"},
                    {"colours", "print('\\033[1;31mred\\033[0m')", "red\n"},
                    {"an error", "1/0",
                     "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\n"
                     "ZeroDivisionError: division by zero\n"},
                    {"several lines", "for i in range(3):\n  print(i)\n", "0\n1\n2\n"},
                    {"a long text", "t = \"\"\"a\nb\n\"\"\"\nprint(t, end='')", "a\nb\n"},
                    {"a comment", "print('c') # a comment", "c\n"},
                    {"a variable lasts", "x", "5\n"},
                    {"a folder lasts", "import os; os.chdir('/usr')", ""},
                    {"it did", "os.getcwd()", "'/usr'\n"},
                    {"the environment lasts", "os.environ['WORD'] = 'w'; os.system('echo $WORD')", "w\n0\n"},
                    {"a child that is killed", "os.system('kill -9 $$')", "9\n"},
                    {"the prompt's text", "print('>>> ')", ">>> \n"},
                    {"a mark's text", "print('\\x1b]7717;begin\\x07x')", "x\n"},
                    {"a cleared screen", "print('\\033[2J\\033[Hclear')", "clear\n"},
                    {"unclosed", "print('a',", "", "PTY_BUSY"},
                    {"closed", "'b')", "a b\n"},
                    {"a prompt of several lines", "import sys; sys.ps1 = 'one\\n>>> '", ""},
                    {"and back", "sys.ps1 = '>>> '", ""},
                    {"a prompt with escapes", "sys.ps1 = '\\001\\033[1m\\002>>> \\001\\033[0m\\002'", ""},
                    {"without echo", "os.system('stty -echo')", "", "PTY_READ_FAILED"}},
          .megabytes = "print('\\n'.join(str(i) for i in range(1500000)))",
          .behind = "",
          .forever = "import time; time.sleep(600)",
          .asks = "input('name: ')",
          .answer = "Ada",
          .dies = "import os; os.kill(os.getpid(), 9)",
          .after = {"the next one", "print('next')", "next\n"}};
}

Repl node() {
  return {.name = "Node",
          .command = {"node"},
          .prompt = "> ",
          .cases = {{"plain", "console.log('hello')", "hello\nundefined\n"},
                    {"a value", "1 + 1", "2\n"},
                    {"nothing but what it says", "let x = 5", "undefined\n"},
                    {"no final newline", "process.stdout.write('foo')", "footrue\n"},
                    {"wide", "console.log('漢字 ü')", "漢字 ü\nundefined\n"},
                    {"colours", "console.log('\\x1b[1;31mred\\x1b[0m')", "red\nundefined\n"},
                    {"several lines", "function seven() {\n  return 7\n}", "undefined\n"},
                    {"a function lasts", "seven()", "7\n"},
                    {"a comment", "console.log('c') // a comment", "c\nundefined\n"},
                    {"a variable lasts", "x", "5\n"},
                    {"a folder lasts", "process.chdir('/usr')", "undefined\n"},
                    {"it did", "process.cwd()", "'/usr'\n"},
                    {"a child that is killed",
                     "require('child_process').spawnSync('sh', ['-c', 'kill -9 $$']).signal", "'SIGKILL'\n"},
                    {"the prompt's text", "console.log('> ')", "> \nundefined\n"},
                    {"a mark's text", "console.log('\\x1b]7717;begin\\x07x')", "x\nundefined\n"},
                    {"a cleared screen", "console.log('\\x1b[2J\\x1b[Hclear')", "clear\nundefined\n"},
                    {"a block", "{a: 1}", "", "INVALID_PARAM"}},
          .megabytes = "for (let i = 0; i < 1500000; i++) require('fs').writeSync(1, i + '\\n')",
          .behind = "8\n",
          .forever = "while (true) {}",
          .asks = "",
          .answer = "",
          .dies = "process.kill(process.pid, 9)",
          .after = {"the next one", "console.log('next')", "next\nundefined\n"}};
}

Repl sqlite() {
  return {
      .name = "Sqlite",
      .command = {"sqlite3"},
      .prompt = "sqlite> ",
      .cases = {{"plain", "select 'hello';", "hello\n"},
                {"nothing", "create table t (a);", ""},
                {"several lines", "insert into t values\n(1),\n(2);", ""},
                {"what lasts", "select * from t;", "1\n2\n"},
                {"no final newline", ".print -nonewline", "-nonewline\n"},
                {"wide", "select '漢字 ü';", "漢字 ü\n"},
                {"colours", "select char(27) || '[1mbold' || char(27) || '[0m';", "bold\n"},
                {"a comment", "select 3; -- a comment", "3\n"},
                {"the prompt's text", "select 'sqlite> ';", "sqlite> \n"},
                {"a child's output", ".shell echo child", "child\n"},
                {"unclosed", "select 'a", "", "PTY_BUSY"},
                {"closed", "b';", "a\nb\n"},
                {"another prompt", ".prompt 'sqlite> ' '   ...> '", ""}},
      .megabytes =
          "with recursive n(i) as (select 0 union all select i + 1 from n where i < 1499999) select i from "
          "n;",
      .behind = "",
      .forever = "with recursive n(i) as (select 0 union all select i + 1 from n) select count(*) from n;",
      .asks = ".shell read line",
      .answer = "Ada",
      .dies = ".exit 3",
      .after = {"the next one", "select 'next';", "next\n"}};
}

Repl gdb() {
  return {.name = "Gdb",
          .command = {"gdb", "-q", "-nx"},
          .prompt = "(gdb) ",
          .cases = {{"plain", "echo hello\\n", "hello\n"},
                    {"nothing", "set $x = 5", ""},
                    {"what lasts", "print $x", "$1 = 5\n"},
                    {"no final newline", "echo foo", "foo"},
                    {"wide", "echo 漢字 ü\\n", "漢字 ü\n"},
                    {"a comment", "# a comment", ""},
                    {"the prompt's text", "echo (gdb) \\n", "(gdb) \n"},
                    {"a child's output", "shell echo child", "child\n"},
                    {"a child that fails", "shell exit 3", ""},
                    {"a folder lasts", "cd /usr", "Working directory /usr.\n"},
                    {"it did", "pwd", "Working directory /usr.\n"},
                    {"an error", "nonsense", "Undefined command: \"nonsense\".  Try \"help\".\n"}},
          .megabytes = "shell seq 0 1499999",
          .behind = "",
          .forever = "shell sleep 600",
          .asks = "shell read line",
          .answer = "Ada",
          .dies = "quit",
          .after = {"the next one", "echo next\\n", "next\n"}};
}

INSTANTIATE_TEST_SUITE_P(All, ReplTable, testing::Values(python(), node(), sqlite(), gdb()),
                         [](const auto& each) { return each.param.name; });
INSTANTIATE_TEST_SUITE_P(All, ReplThatAsks, testing::Values(python(), sqlite(), gdb()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace host_test
