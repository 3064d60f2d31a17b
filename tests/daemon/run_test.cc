// SPDX-License-Identifier: Apache-2.0
// pty.run on real shells: each case with each shell, and in every one the output is byte for byte what the
// command wrote, or there is an error.
#include <boost/json/parse.hpp>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "daemon_fixture.h"
#include "wire/encoding.h"

namespace host_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

struct Ran {
  std::string error;  // the code's name
  std::string message;
  std::string output;
  std::optional<int64_t> status;
  bool truncated = false;
  bool typed = true;
  int64_t bytes = 0;
};

struct ShellCase {
  std::string name;
  json::array command;
  bool posix = true;
};

std::ostream& operator<<(std::ostream& out, const ShellCase& shell) { return out << shell.name; }

class RunTest : public DaemonTest {
 protected:
  uint64_t send(Peer& peer, const std::string& command, json::object more = {}) {
    more["session"] = "shell";
    more["command"] = command;
    if (!more.contains("encoding")) more["encoding"] = "base64";
    return peer.client().send("pty.run", std::move(more));
  }
  Ran take(Peer& peer, uint64_t id) {
    Ran ran;
    auto answer = peer.answer(id);
    if (!answer) {
      ADD_FAILURE() << "no answer";
      return ran;
    }
    const json::object& said = answer->result ? answer->result->as_object() : answer->data;
    if (!answer->result) {
      ran.error = base::code_name(answer->result.error().code);
      ran.message = answer->result.error().message();
      ran.typed = said.contains("typed") && said.at("typed").as_bool();
    }
    if (said.contains("output") && said.at("output").is_string())
      ran.output = wire::from_base64(std::string(said.at("output").as_string())).value_or("not base64");
    if (said.contains("exit_code") && said.at("exit_code").is_int64())
      ran.status = said.at("exit_code").as_int64();
    if (said.contains("truncated")) ran.truncated = said.at("truncated").as_bool();
    if (said.contains("output_bytes")) ran.bytes = said.at("output_bytes").as_int64();
    return ran;
  }
  Ran exec(Peer& peer, const std::string& command, json::object more = {}) {
    return take(peer, send(peer, command, std::move(more)));
  }
  Ran exec(const std::string& command, json::object more = {}) {
    return exec(me(), command, std::move(more));
  }

  void expect_ran(const std::string& command, const std::string& output, int64_t status = 0) {
    const Ran ran = exec(command);
    EXPECT_EQ("", ran.error) << command << ": " << ran.message << "\n"
                             << testing::PrintToString(this->output(me(), "shell"));
    EXPECT_EQ(output, ran.output) << command;
    EXPECT_EQ(status, ran.status) << command;
  }

  void start(const json::array& command, json::object more = {}) {
    more["name"] = "shell";
    more["command"] = command;
    me().ok("session.create", std::move(more));
  }

  Peer& me() {
    if (!me_) me_.emplace(peer("someone"));
    return *me_;
  }

 private:
  std::optional<Peer> me_;
};

class RunInShell : public RunTest, public testing::WithParamInterface<ShellCase> {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    json::object more{{"env", json::array{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home_.path(),
                                          "TERM=xterm-256color", "LANG=C.UTF-8"}}};
    start(GetParam().command, more);
  }
};

TEST_P(RunInShell, GivesWhatWasPrintedAndHowItEnded) {
  expect_ran("echo hello", "hello\n");
  expect_ran("true", "");
  expect_ran("printf foo", "foo");
  expect_ran("printf 'a\\nb'", "a\nb");
  expect_ran("printf 'cr\\r\\nlf\\n'", "cr\r\nlf\n");
  expect_ran("printf '\\tx  \\n\\n'", "\tx  \n\n");
  expect_ran("echo '漢字 ü 👩‍👩‍👧'", "漢字 ü 👩‍👩‍👧\n");
  expect_ran("false", "", 1);
  expect_ran("sh -c 'exit 3'", "", 3);
  expect_ran("sh -c 'exit 255'", "", 255);
  expect_ran("echo one; echo two >&2", "one\ntwo\n");
  expect_ran("echo c # a comment", "c\n");
  expect_ran("printf '%s\\n' \"a 'b' \\$x\" '\\n!'", "a 'b' $x\n\\n!\n");
  expect_ran("echo a\necho b\n\necho c", "a\nb\nc\n");
}

TEST_P(RunInShell, TakesOutEscapesUnlessTheyAreWanted) {
  expect_ran("printf '\\033[1;31mred\\033[0m \\033]0;title\\007done\\n'", "red done\n");
  const Ran raw = exec("printf '\\033[1mx\\033[0m\\n'", {{"raw", true}});
  EXPECT_EQ("\x1b[1mx\x1b[0m\r\n", raw.output);
  expect_ran("clear", "");
  expect_ran("echo after", "after\n");
}

TEST_P(RunInShell, KnowsEveryStatus) {
  for (int status = 0; status < 256; status++) expect_ran(fmt::format("sh -c 'exit {}'", status), "", status);
  const Ran killed = exec("sh -c 'kill -KILL $$'");
  EXPECT_EQ("", killed.error);
  EXPECT_EQ(137, killed.status);
}

TEST_P(RunInShell, IsTheSameShellEveryTime) {
  expect_ran("cd /usr", "");
  expect_ran("pwd", "/usr\n");
  expect_ran(GetParam().posix ? "export TEND_X=5" : "set -gx TEND_X 5", "");
  expect_ran("sh -c 'echo $TEND_X'", "5\n");
}

TEST_P(RunInShell, IsNotConfusedByWhatIsLeftOpen) {
  // Each is an error of the shell, said in its words, and nothing is left of it.
  for (const char* command : {"echo 'open", "echo \"open", "echo $(", "if true"}) {
    const Ran ran = exec(command);
    EXPECT_EQ("", ran.error) << command << ": " << ran.message;
    EXPECT_NE(0, ran.status.value_or(0)) << command;
    EXPECT_NE("", ran.output) << command;
    expect_ran("echo still here", "still here\n");
  }
}

TEST_P(RunInShell, IsNotFooledByItsOwnMarks) {
  const Ran own = exec("printf '\\033]7717;__KR_DONE_00000000__;0\\007'; echo more; sh -c 'exit 4'");
  EXPECT_EQ("", own.error);
  EXPECT_EQ("more\n", own.output);
  EXPECT_EQ(4, own.status);
  expect_ran("echo __KR_DONE_00000000__", "__KR_DONE_00000000__\n");
  const Ran known = exec("echo SENTINEL_0; echo SENTINEL_", {{"sentinel", "SENTINEL_0"}});
  EXPECT_EQ("SENTINEL_0\nSENTINEL_\n", known.output);
  EXPECT_EQ("INVALID_PARAM", exec("true", {{"sentinel", "short"}}).error);
  EXPECT_EQ("INVALID_PARAM", exec("true", {{"sentinel", "with blanks in it"}}).error);
}

TEST_P(RunInShell, GivesMuchOutputWhole) {
  const Ran much =
      exec("seq 1 200000", {{"max_bytes", 8 << 20}, {"encoding", "bytes"}, {"timeout_ms", 60000}});
  EXPECT_EQ("", much.error) << much.message;
  EXPECT_FALSE(much.truncated);
  std::string expected;
  for (int i = 1; i <= 200000; i++) expected += std::to_string(i) + "\n";
  EXPECT_EQ(static_cast<int64_t>(expected.size()), much.bytes);
  EXPECT_EQ(expected, me().bytes(expected.size()));
}

TEST_P(RunInShell, KeepsTheNewestOfTooMuch) {
  const Ran much = exec("seq 1 1500000", {{"max_bytes", 1000}, {"timeout_ms", 60000}});
  EXPECT_EQ("", much.error) << much.message;
  EXPECT_TRUE(much.truncated);
  EXPECT_EQ(1000U, much.output.size());
  EXPECT_EQ(10'888'896, much.bytes);
  EXPECT_TRUE(much.output.ends_with("1499999\n1500000\n"));
}

TEST_P(RunInShell, DoesNotCutALongLineAtTheWidth) {
  std::string wide(3000, 'x');
  expect_ran("printf '" + wide + "\\n'", wide + "\n");
  std::string script;
  for (int i = 0; i < 300; i++) script += "echo line number " + std::to_string(i) + "\n";
  const Ran ran = exec(script);
  EXPECT_EQ("", ran.error) << ran.message;
  EXPECT_TRUE(ran.output.ends_with("line number 298\nline number 299\n")) << ran.output.size();
}

TEST_P(RunInShell, AfterATimeoutTheNextOneGetsItsOwnOutput) {
  // It ends when it is told to, so that no speed decides.
  const std::string go = home_.file("go");
  const std::string slow =
      fmt::format("echo begun; while test ! -e {0}; do sleep 0.05; done; echo ended", go);
  const std::string fish = fmt::format("echo begun; while test ! -e {0}; sleep 0.05; end; echo ended", go);
  const Ran late = exec(GetParam().posix ? slow : fish, {{"timeout_ms", 1500}});
  EXPECT_EQ("PTY_TIMEOUT", late.error);
  EXPECT_EQ("begun\n", late.output);
  EXPECT_TRUE(late.typed);
  const json::value busy = session(me(), "shell").at("ptys").at(0).at("busy_with");
  EXPECT_TRUE(std::string(busy.as_string()).starts_with("echo begun"));
  const uint64_t next = send(me(), "echo next");
  const Ran never = exec("echo never", {{"timeout_ms", 100}});
  EXPECT_EQ("PTY_TIMEOUT", never.error);
  EXPECT_FALSE(never.typed);
  EXPECT_THAT(never.message, HasSubstr("still at work"));
  support::write_file(go, "");
  EXPECT_EQ("next\n", take(me(), next).output);
}

TEST_P(RunInShell, AnInterruptEndsTheOneBefore) {
  const Ran late = exec("sleep 600", {{"timeout_ms", 300}});
  EXPECT_EQ("PTY_TIMEOUT", late.error);
  const Ran next = exec("echo next", {{"interrupt", true}});
  EXPECT_EQ("", next.error) << next.message;
  EXPECT_EQ("next\n", next.output);
}

TEST_P(RunInShell, ReadsALineFromTheTerminalWhenSomebodyTypesIt) {
  const std::string command =
      GetParam().posix ? "echo ask; read -r x; echo \"got $x\"" : "echo ask; read x; echo got $x";
  const uint64_t run = send(me(), command);
  me().client().flush();
  ASSERT_TRUE(prints(me(), "shell", "ask\r\n"));
  // Nobody answers at once.
  me().ok("pty.wait", {{"session", "shell"}, {"until", "quiet"}, {"quiet_ms", 500}});
  me().ok("pty.write", {{"session", "shell"}, {"data", "an answer"}, {"enter", true}});
  const Ran ran = take(me(), run);
  EXPECT_EQ("", ran.error) << ran.message;
  EXPECT_THAT(ran.output, HasSubstr("got an answer\n"));
}

TEST_P(RunInShell, EndsWithTheShell) {
  const Ran ran = exec("echo bye; exit 3");
  EXPECT_EQ("PTY_PROCESS_EXITED", ran.error);
  EXPECT_TRUE(ran.output.starts_with("bye\n")) << ran.output;  // bash says goodbye too
  EXPECT_EQ(3, ran.status);
}

TEST_P(RunInShell, TwoWhoRunAtOnceGetTheirOwn) {
  Peer other = peer("another");
  std::vector<uint64_t> mine, theirs;
  for (int i = 0; i < 10; i++) {
    mine.push_back(send(me(), fmt::format("echo mine {}", i)));
    theirs.push_back(send(other, fmt::format("echo theirs {}", i)));
  }
  for (int i = 0; i < 10; i++) {
    const Ran my = take(me(), mine[static_cast<size_t>(i)]);
    EXPECT_EQ(fmt::format("mine {}\n", i), my.output) << my.error << ": " << my.message;
    const Ran their = take(other, theirs[static_cast<size_t>(i)]);
    EXPECT_EQ(fmt::format("theirs {}\n", i), their.output) << their.error << ": " << their.message;
  }
}

TEST_P(RunInShell, GoesOnWithoutTheEcho) {
  expect_ran("stty -echo", "");
  expect_ran("echo unseen", "unseen\n");
  expect_ran("stty echo", "");
  expect_ran("echo seen", "seen\n");
}

TEST_P(RunInShell, LetsAJobGoOnInTheBackground) {
  const Ran ran = exec("sleep 0.01 &");
  EXPECT_EQ("", ran.error) << ran.message;
  EXPECT_EQ(0, ran.status);
  expect_ran("echo next", "next\n");
}

INSTANTIATE_TEST_SUITE_P(Shells, RunInShell,
                         testing::Values(ShellCase{"bash", {"bash", "--norc"}},
                                         ShellCase{"zsh", {"zsh", "-f"}}, ShellCase{"dash", {"dash"}},
                                         ShellCase{"busybox", {"busybox", "sh"}},
                                         ShellCase{"fish", {"fish"}, false}),
                         [](const auto& shell) { return shell.param.name; });

class RunInPosixShell : public RunInShell {};

TEST_P(RunInPosixShell, TakesHereDocuments) {
  expect_ran("cat <<END\n  a 'b' \"c\"\nEND\necho after", "  a 'b' \"c\"\nafter\n");
  const Ran open = exec("cat <<END\nnever closed");
  EXPECT_EQ("", open.error) << open.message;
  EXPECT_THAT(open.output, HasSubstr("never closed"));
}

TEST_P(RunInPosixShell, ObeysSetE) {
  expect_ran("set -e", "");
  expect_ran("echo fine", "fine\n");
  const Ran ran = exec("echo so far; false; echo not this");
  EXPECT_EQ("PTY_PROCESS_EXITED", ran.error);
  EXPECT_EQ("so far\n", ran.output);
}

TEST_P(RunInPosixShell, WorksBehindAnyPrompt) {
  expect_ran("PS1=$(printf '\\033[32mtwo\\nlines\\033[0m %% ')", "");
  expect_ran("echo colourful", "colourful\n");
  expect_ran("PS1=", "");
  expect_ran("echo none", "none\n");
}

TEST_P(RunInPosixShell, SaysThatTheShellWasReplaced) {
  const Ran ran = exec("echo last; exec cat", {{"timeout_ms", 10000}});
  EXPECT_EQ("PTY_PROCESS_EXITED", ran.error) << ran.message;
  EXPECT_EQ("last\n", ran.output);
  const Ran next = exec("echo x");
  EXPECT_EQ("PTY_BUSY", next.error);
  EXPECT_THAT(next.message, HasSubstr("'cat'"));
}

INSTANTIATE_TEST_SUITE_P(Shells, RunInPosixShell,
                         testing::Values(ShellCase{"bash", {"bash", "--norc"}},
                                         ShellCase{"zsh", {"zsh", "-f"}}, ShellCase{"dash", {"dash"}},
                                         ShellCase{"busybox", {"busybox", "sh"}}),
                         [](const auto& shell) { return shell.param.name; });

TEST_F(RunTest, TracesOnlyTheCommandItself) {
  start({"bash", "--norc"});
  expect_ran("PS4='+ '; set -x", "");
  expect_ran("echo x", "++ echo x\nx\n");
}

// With the editor of the prompt, and yet it is not the prompt.
TEST_F(RunTest, WaitsForAnAnswerThatTheShellLetsEdit) {
  start({"bash", "--norc"});
  const uint64_t run = send(me(), "read -e -p 'Name: ' x; echo \"got $x\"");
  me().client().flush();
  ASSERT_TRUE(prints(me(), "shell", "Name: "));
  me().ok("pty.wait", {{"session", "shell"}, {"until", "quiet"}, {"quiet_ms", 500}});
  me().ok("pty.write", {{"session", "shell"}, {"data", "Ada"}, {"enter", true}});
  const Ran ran = take(me(), run);
  EXPECT_EQ("", ran.error) << ran.message;
  EXPECT_THAT(ran.output, HasSubstr("got Ada\n"));
}

TEST_F(RunTest, IsRefusedWhereSomethingElseIsInFront) {
  start({"sh", "-c", "exec vim -u NONE"});
  ASSERT_TRUE(prints(me(), "shell", "~"));
  const Ran ran = exec("echo x");
  EXPECT_EQ("PTY_BUSY", ran.error);
  EXPECT_THAT(ran.message, HasSubstr("vim"));
  EXPECT_FALSE(ran.typed);
}

TEST_F(RunTest, IsRefusedAtAPassword) {
  start({"python3", "-c", "import getpass; getpass.getpass()"});
  ASSERT_TRUE(prints(me(), "shell", "Password:"));
  const Ran ran = exec("echo x");
  EXPECT_EQ("PTY_BUSY", ran.error);
  EXPECT_THAT(ran.message, HasSubstr("password"));
}

TEST_F(RunTest, IsRefusedWhereSomebodyIsTyping) {
  start({"bash", "--norc"});
  expect_ran("true", "");
  me().ok("pty.write", {{"session", "shell"}, {"data", "rm -r impor"}});
  ASSERT_TRUE(prints(me(), "shell", "impor"));
  EXPECT_EQ("PTY_BUSY", exec("echo x").error);
  const Ran ran = exec("echo x", {{"interrupt", true}});
  EXPECT_EQ("", ran.error) << ran.message;
  EXPECT_EQ("x\n", ran.output);
}

TEST_F(RunTest, CtrlCByAPersonIsAnInterruption) {
  start({"bash", "--norc"});
  const uint64_t run = send(me(), "sh -c 'echo begun; exec sleep 600'");
  ASSERT_TRUE(prints(me(), "shell", "begun\r\n"));
  me().ok("pty.write", {{"session", "shell"}, {"keys", json::array{"C-c"}}});
  const Ran ran = take(me(), run);
  EXPECT_EQ("PTY_INTERRUPTED", ran.error) << ran.message;
  EXPECT_THAT(ran.output, HasSubstr("begun\n"));
  expect_ran("echo next", "next\n");
}

TEST_F(RunTest, CanBeCancelledByItsName) {
  start({"bash", "--norc"});
  const uint64_t run = send(me(), "sh -c 'echo begun; exec sleep 600'", {{"run", "mine"}});
  const uint64_t waits = send(me(), "echo never", {{"run", "behind"}});
  ASSERT_TRUE(prints(me(), "shell", "begun\r\n"));
  Peer other = peer("another");
  other.ok("pty.run_cancel", {{"run", "behind"}});
  other.ok("pty.run_cancel", {{"run", "mine"}});
  EXPECT_EQ("INVALID_PARAM", other.code("pty.run_cancel", {{"run", "nobody"}}));
  EXPECT_EQ("PTY_INTERRUPTED", take(me(), run).error);
  EXPECT_FALSE(take(me(), waits).typed);
  expect_ran("echo next", "next\n");
}

TEST_F(RunTest, WhoeverGoesAwayLeavesTheCommandAndNothingElse) {
  start({"bash", "--norc"});
  const std::string go = home_.file("go");
  {
    Peer other = peer("another");
    send(other, fmt::format("echo begun; while test ! -e {}; do sleep 0.05; done; echo ended", go));
    send(other, "echo not this one");
    other.client().flush();
    ASSERT_TRUE(prints(me(), "shell", "begun\r\n"));
  }
  const uint64_t mine = send(me(), "echo mine");
  support::write_file(go, "");
  EXPECT_EQ("mine\n", take(me(), mine).output);
  const std::string all = output(me(), "shell");
  EXPECT_THAT(all, HasSubstr("\nended\r\n"));
  EXPECT_EQ(0U, count_of(all, "\nnot this one\r\n"));
}

TEST_F(RunTest, ADaemonThatIsKilledMeanwhileIsNoReasonToMixThingsUp) {
  start({"bash", "--norc"});
  const std::string go = home_.file("go");
  send(me(), fmt::format("sh -c 'echo begun; while test ! -e {}; do sleep 0.05; done; echo ended'", go));
  ASSERT_TRUE(prints(me(), "shell", "begun\r\n"));
  const pid_t first = daemon_pid(me());
  ASSERT_EQ(0, ::kill(first, SIGKILL));
  wait_for_another(first);
  Peer next = peer("someone");
  // What the last daemon began is still in front, and nothing is typed into it.
  const Ran refused = exec(next, "echo mine");
  EXPECT_EQ("PTY_BUSY", refused.error);
  EXPECT_FALSE(refused.typed);
  support::write_file(go, "");
  ASSERT_TRUE(
      support::wait_until([&] { return session(next, "shell").at("ptys").at(0).at("activity") == "ready"; }));
  const Ran ran = exec(next, "echo mine");
  EXPECT_EQ("", ran.error) << ran.message;
  EXPECT_EQ("mine\n", ran.output);
}

TEST_F(RunTest, TellsItsProgress) {
  start({"bash", "--norc"});
  const std::string go = home_.file("go");
  const uint64_t run = send(me(), fmt::format("echo step 1; while test ! -e {}; do sleep 0.05; done", go),
                            {{"progress", true}, {"run", "slow"}});
  const auto told =
      me().heard("run.progress", [](const json::object& said) { return said.at("line") == "step 1"; });
  ASSERT_TRUE(told);
  EXPECT_EQ("slow", told->at("run").as_string());
  EXPECT_EQ(7, told->at("bytes").as_int64());
  support::write_file(go, "");
  EXPECT_EQ(0, take(me(), run).status);
}

TEST_F(RunTest, ReadsTheMarksOfAShellThatIsNotKnown) {
  // A shell under another name, which marks its prompt and its commands.
  const std::string own = home_.file("ownsh");
  std::filesystem::copy_file("/bin/bash", own);
  const std::string rc = home_.file("rc");
  support::write_file(rc,
                      "PS0='\\e]133;C\\a'\nPROMPT_COMMAND='printf \"\\e]133;D;$?\\a\"'\n"
                      "PS1='\\[\\e]133;A\\a\\]own> \\[\\e]133;B\\a\\]'\n");
  start({own, "--rcfile", rc});
  ASSERT_TRUE(prints(me(), "shell", "own> "));
  expect_ran("echo by its marks", "by its marks\n");
  expect_ran("(exit 9)", "", 9);
  EXPECT_EQ("INVALID_PARAM", exec("echo a\necho b").error);
}

TEST_F(RunTest, WaitsForThePromptOfAShellThatIsKnownByItsMarks) {
  const std::string own = home_.file("ownsh");
  std::filesystem::copy_file("/bin/bash", own);
  const std::string rc = home_.file("rc");
  const std::string hold = home_.file("hold");
  support::write_file(
      rc, fmt::format("PS0='\\e]133;C\\a'\n"
                      "PROMPT_COMMAND='printf \"\\e]133;D;$?\\a\"; while [[ -e {} ]]; do :; done'\n"
                      "PS1='\\[\\e]133;A\\a\\]own> \\[\\e]133;B\\a\\]'\n",
                      hold));
  start({own, "--rcfile", rc});
  ASSERT_TRUE(prints(me(), "shell", "own> "));
  // The command has ended, and the prompt is being made.
  expect_ran(": > " + hold, "");
  const uint64_t next = send(me(), "echo next");
  // It is looked at meanwhile: a refusal would be on its way before these.
  for (int i = 0; i < 20; i++) me().ok("daemon.status");
  std::filesystem::remove(hold);
  const Ran ran = take(me(), next);
  EXPECT_EQ("", ran.error) << ran.message;
  EXPECT_EQ("next\n", ran.output);
}

TEST_F(RunTest, StandsInTheAudit) {
  start({"bash", "--norc"});
  expect_ran("echo hello", "hello\n");
  const json::value rows = me().ok("audit.show", {{"action", "run"}});
  const json::value& row = rows.as_array().back();
  EXPECT_EQ("echo hello", row.at("command").as_string());
  EXPECT_EQ("exit 0", row.at("summary").as_string());
  EXPECT_EQ("someone", row.at("agent").as_string());
}

TEST_F(RunTest, OfAnEndedProgramIsAnError) {
  start({"true"});
  ASSERT_TRUE(becomes(me(), "shell", "dead"));
  EXPECT_EQ("PTY_PROCESS_EXITED", exec("echo x").error);
}

TEST_F(RunTest, TakesNoMoreThanItCan) {
  start({"bash", "--norc"});
  EXPECT_EQ("INVALID_PARAM", exec(std::string(70 << 10, 'x')).error);
  EXPECT_EQ("INVALID_PARAM", exec("true", {{"run", "not a name"}}).error);
  expect_ran("echo fine", "fine\n");
}

}  // namespace
}  // namespace host_test
