// SPDX-License-Identifier: Apache-2.0
// What can be done about loops that run or ran: ls, attach, stop, events.
#include <csignal>
#include <gmock/gmock.h>

#include "loop_home.h"

namespace cli {
namespace {

using support::Terminal;
using support::wait_until;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

constexpr const char* kSleeper = "echo $$ > pid; echo ready; exec sleep 1000";

class LoopCommands : public LoopTest {
 protected:
  void start_sleeper(const std::string& name, const std::string& options = "--pty") const {
    agent(kSleeper);
    const Said said = says("loop -d -n " + name + " --idle-timeout 0 " + options);
    ASSERT_EQ(0, said.code) << said.err;
    ASSERT_EQ(name + "\n", said.out);
    ASSERT_TRUE(wait_until([&] { return !read_work("pid").empty(); }));
    ASSERT_TRUE(is_in_state("running"));
  }
  bool agent_is_gone() const {
    return wait_until([&] { return ::kill(std::stoi(read_work("pid")), 0) != 0; });
  }
};

TEST_F(LoopCommands, LsShowsLoopsThatRunAndThatHaveEnded) {
  EXPECT_EQ("", says("loop ls").out);
  agent("echo LOOP_COMPLETE");
  ASSERT_EQ(0, says("loop -n first").code);
  start_sleeper("second");
  const std::string table = says("loop ls").out;
  EXPECT_THAT(table, StartsWith("NAME    STATE         ITERATION  MODE      BACKEND  STARTED"));
  EXPECT_THAT(table, HasSubstr("\nsecond  running       1          pty       custom"));
  EXPECT_THAT(table, HasSubstr("\nfirst   promise kept  1          headless  custom"));
  const auto all = json_of("loop ls --json");
  EXPECT_EQ("second", all[0]["name"].string());
  EXPECT_TRUE(all[0]["exit_code"].is_null());
  EXPECT_EQ(0, all[1]["exit_code"].integer());
  EXPECT_EQ(0, says("loop stop second").code);
}

TEST_F(LoopCommands, StopEndsAgentAndLoopAndSaysSo) {
  start_sleeper("api");
  const Said said = says("loop stop api");
  EXPECT_EQ(0, said.code) << said.err;
  EXPECT_EQ("api: stopped in iteration 1\n", said.out);
  EXPECT_TRUE(agent_is_gone());
  EXPECT_EQ(1, newest()["exit_code"].integer());
  const Said again = says("loop stop api");
  EXPECT_EQ(1, again.code);
  EXPECT_EQ("tend: the loop api has ended: stopped\n", again.err);
  EXPECT_EQ(3, says("loop stop nobody").code);
  EXPECT_EQ("tend: there is no loop 'nobody'; tend loop ls lists them\n", says("loop stop nobody").err);
}

TEST_F(LoopCommands, StopWithForceDoesNotAskTheAgent) {
  start_sleeper("api", "--no-pty");
  EXPECT_EQ("api: runner killed by SIGKILL in iteration 1\n", says("loop stop api --force").out);
  EXPECT_TRUE(agent_is_gone());
}

TEST_F(LoopCommands, ARunnerThatWasKilledIsToldAndTakesEverythingWithIt) {
  start_sleeper("api");
  Terminal terminal(loop({"attach"}));
  ASSERT_TRUE(terminal.expect("ready"));
  const int runner = json_of("status api --json")["ptys"][0]["pid"].integer();
  ASSERT_EQ(0, ::kill(runner, SIGKILL));
  EXPECT_EQ(W_EXITCODE(137, 0), terminal.wait_exit());
  EXPECT_THAT(terminal.output(), HasSubstr("its runner killed by SIGKILL"));
  EXPECT_TRUE(agent_is_gone());
  EXPECT_EQ("runner killed by SIGKILL", newest()["state"].string());
}

TEST_F(LoopCommands, AttachSeesALoopToItsEnd) {
  start_sleeper("api");
  Terminal terminal(loop({"attach"}));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("\x03");
  terminal.type("\x03");
  EXPECT_EQ(W_EXITCODE(130, 0), terminal.wait_exit());
  EXPECT_TRUE(is_in_state("interrupted"));
  EXPECT_EQ("tend: no loop runs; start one with 'tend loop'\n", says("loop attach").err);
}

TEST_F(LoopCommands, AttachWorksForLoopsWithoutATerminalToo) {
  start_sleeper("api", "--no-pty");
  Terminal terminal(loop({"attach", "api"}));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("\x03");
  EXPECT_EQ(W_EXITCODE(130, 0), terminal.wait_exit());
}

TEST_F(LoopCommands, EventsAreTheAgentsOrAll) {
  agent(
      "echo '<event topic=\"build.done\" target=\"tester\">all green</event>'; echo '<event topic=\"two\">'; "
      "echo "
      "inner; echo '</event>'; echo LOOP_COMPLETE");
  ASSERT_EQ(0, says("loop -n api").code);
  const std::string text = says("loop events api").out;
  EXPECT_THAT(text, HasSubstr("     1  build.done → tester  all green\n"));
  EXPECT_THAT(text, HasSubstr("     1  two  inner\n"));
  const std::string all = says("loop events api --all").out;
  for (const char* kind : {"started", "iteration.started", "promise", "iteration.ended", "ended"})
    EXPECT_THAT(all, HasSubstr(std::string("  ") + kind));
  const auto first = support::Json::parse(
      says("loop events api --json").out.substr(0, says("loop events api --json").out.find('\n')));
  EXPECT_EQ("build.done", first["topic"].string());
  EXPECT_EQ("tester", first["target"].string());
}

TEST_F(LoopCommands, EventsCanBeFollowedToTheEnd) {
  agent("echo '<event topic=\"one\">x</event>'; until [ -e go ]; do sleep 0.05; done; echo LOOP_COMPLETE");
  ASSERT_EQ(0, says("loop -d -n api --idle-timeout 0").code);
  Terminal terminal(loop({"events", "api", "-f", "--all"}));
  ASSERT_TRUE(terminal.expect("topic=one"));
  support::write_file(work_.file("go"), "");
  EXPECT_TRUE(terminal.expect("why=promise kept"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(LoopCommands, TheRunnerIsForTendAlone) {
  const Said said = says("loop runner /nowhere");
  EXPECT_EQ(2, said.code);
  EXPECT_EQ("tend: a loop's runner is started by tend; use 'tend loop'\n", said.err);
}

}  // namespace
}  // namespace cli
