// SPDX-License-Identifier: Apache-2.0
// Leaving a session and coming back: tend attach, the detach key, observers, takeover, shells.
#include <gmock/gmock.h>

#include "session_home.h"

namespace cli {
namespace {

using support::same_settings;
using support::Terminal;
using support::wait_until;
using testing::HasSubstr;
using testing::Not;

class Attach : public SessionTest {
 protected:
  bool has_clients(const std::string& name, int count) const {
    return wait_until(
        [&] { return json_of("status " + name + " --json")["ptys"][0]["clients"].integer() == count; });
  }
};

TEST_F(Attach, TheKeyLeavesAndTheProgramGoesOn) {
  Terminal first(tend({"run", "-n", "api", "--", "sh", "-c", "stty -echo; echo ready; exec cat"}));
  const termios before = first.settings();
  ASSERT_TRUE(first.expect("ready"));
  first.type("\x1d");
  EXPECT_EQ(0, first.wait_exit());
  EXPECT_THAT(first.output(), HasSubstr("[detached from api]"));
  EXPECT_TRUE(same_settings(before, first.settings()));
  ASSERT_TRUE(has_clients("api", 0));
  ASSERT_EQ(0, says("send api --enter meanwhile").code);
  Terminal second(tend({"attach"}));
  ASSERT_TRUE(second.expect("ready"));
  ASSERT_TRUE(second.expect("meanwhile")) << "what happened in between is on the screen";
  second.type("back\r");
  EXPECT_TRUE(second.expect("back"));
  second.type("\x1d");
  EXPECT_EQ(0, second.wait_exit());
}

TEST_F(Attach, TheKeyCanBeAnotherOrNone) {
  start_cat("api");
  Terminal other(tend({"--set", "session.detach_key=ctrl-o", "attach", "api"}));
  ASSERT_TRUE(has_clients("api", 1));
  other.type("\x0f");
  EXPECT_EQ(0, other.wait_exit());
}

TEST_F(Attach, AnObserversKeysAndSizeGoNowhere) {
  start_cat("api");
  support::Start small = tend({"attach", "api", "--observe"});
  small.cols = 40;
  small.rows = 10;
  Terminal observer(small);
  ASSERT_TRUE(observer.expect("ready"));
  observer.type("ignored\r");
  ASSERT_EQ(0, says("send api --enter heard").code);
  ASSERT_TRUE(observer.expect("heard"));
  EXPECT_THAT(says("logs api").out, Not(HasSubstr("ignored")));
  EXPECT_EQ(120, json_of("status api --json")["ptys"][0]["cols"].integer());
  observer.type("\x1d");
  EXPECT_EQ(0, observer.wait_exit());
}

TEST_F(Attach, TakeoverSendsTheOthersAway) {
  start_cat("api");
  Terminal first(tend({"attach", "api"}));
  ASSERT_TRUE(has_clients("api", 1));
  Terminal second(tend({"attach", "api", "--takeover"}));
  EXPECT_TRUE(first.expect("[detached from api: taken over by another terminal]"));
  EXPECT_TRUE(first.wait_exit());
  second.type("mine\r");
  EXPECT_TRUE(second.expect("mine"));
}

TEST_F(Attach, WhatHasEndedTakesNobodyAndSaysWhereItsOutputIs) {
  start("api", "exit 3");
  ASSERT_TRUE(ends("api"));
  const Said said = says("attach api");
  EXPECT_EQ(1, said.code);
  EXPECT_EQ("tend: the program has ended (code 3); its output is still there: tend logs, tend screen\n",
            said.err);
}

TEST_F(Attach, WithoutANameItMustBeClear) {
  EXPECT_EQ("tend: there is no session; start one with 'tend run -- COMMAND'\n", says("attach").err);
  start("a", "cat");
  start("b", "cat");
  const Said said = says("attach");
  EXPECT_EQ(2, said.code);
  EXPECT_EQ("tend: which session? There are a, b\n", said.err);
}

TEST_F(Attach, ATerminalDoesNotAttachToItself) {
  start("api", "\"$TEND\" attach api; exec cat");
  EXPECT_EQ(0, says("wait api --until 'text=this terminal is the one to attach to' --timeout 60000").code);
}

TEST_F(Attach, SeesTheProgramEnd) {
  start_cat("api");
  Terminal terminal(tend({"attach", "api"}));
  ASSERT_TRUE(has_clients("api", 1));
  terminal.type("\x04");
  EXPECT_TRUE(terminal.expect("[process exited (code 0)]"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(Attach, GoesOnWithTheNextDaemon) {
  start_cat("api");
  Terminal terminal(tend({"attach", "api"}));
  ASSERT_TRUE(terminal.expect("ready"));
  ASSERT_EQ(0, says("daemon stop").code);
  terminal.type("still there\r");
  EXPECT_TRUE(terminal.expect("still there"));
  terminal.type("\x1d");
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(Attach, AShellIsOneMoreTerminalOfTheSession) {
  start("api", "cat");
  Terminal terminal(
      tend({"shell", "api", "--", "sh", "-c", "echo $TEND_PTY of $TEND_SESSION; read x; exit 6"}));
  ASSERT_TRUE(terminal.expect("1 of " + json_of("status api --json")["id"].string()));
  terminal.type("\r");
  EXPECT_EQ(W_EXITCODE(6, 0), terminal.wait_exit());
}

}  // namespace
}  // namespace cli
