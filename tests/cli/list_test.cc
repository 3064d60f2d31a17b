// SPDX-License-Identifier: Apache-2.0
// tend ls, status, kill, restart, events on the real program.
#include <gmock/gmock.h>

#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using support::Terminal;
using support::wait_until;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST_F(SessionTest, LsSaysSoWhenThereIsNothing) {
  const Said said = says("ls");
  EXPECT_EQ(0, said.code);
  EXPECT_EQ("", said.out);
  EXPECT_EQ("no sessions; start one with 'tend run -- COMMAND'\n", said.err);
  EXPECT_EQ("[]\n", says("ls --json").out);
}

TEST_F(SessionTest, LsAlignsItsColumns) {
  start("a", "sleep 1000");
  start("longer-name", "sleep 1000");
  const Said said = says("ls");
  EXPECT_EQ(0, said.code);
  std::vector<std::string> lines;
  for (size_t at = 0; at < said.out.size();) {
    const size_t end = said.out.find('\n', at);
    lines.push_back(said.out.substr(at, end - at));
    at = end + 1;
  }
  ASSERT_EQ(3U, lines.size()) << said.out;
  EXPECT_THAT(lines[0], MatchesRegex("NAME         ID                STATE    CLIENTS  AGE .* COMMAND +CWD"));
  const size_t command = lines[0].find("COMMAND");
  EXPECT_EQ("sh -c 'sleep", lines[1].substr(command, 12));
  EXPECT_EQ("sh -c 'sleep", lines[2].substr(command, 12));
  EXPECT_THAT(said.out, HasSubstr(work_.path().string()));
  EXPECT_THAT(said.out, Not(HasSubstr("\x1b")));
}

TEST_F(SessionTest, LsShowsWhatIsAskedAndHowItIsKnown) {
  start("quiet", "sleep 1000");
  start("asks", "printf \"Continue? [Y/n] \"; read x");
  EXPECT_EQ("Continue? [Y/n] [y=Yes, n=No]\n", says("wait asks --until waiting").out);
  const Said said = says("ls");
  EXPECT_THAT(
      said.out,
      MatchesRegex(
          "NAME .* CWD +ASKS\n(.*\n)*asks .* waiting .*Continue\\? \\[Y/n\\] \\[y=Yes, n=No\\]\n(.*\n)*"));
  EXPECT_THAT(says("status asks").out, HasSubstr("asks         Continue? [Y/n]"));
  for (const char* command : {"ls --explain", "status asks --explain", "prompts --explain",
                              "wait asks --until waiting --explain"}) {
    const std::string out = says(command).out;
    EXPECT_THAT(out, HasSubstr("waiting: it reads the terminal, and the screen asks")) << command;
    EXPECT_THAT(out, HasSubstr("is blocked in read")) << command;
    EXPECT_THAT(out, HasSubstr("yes/no in brackets (YES_NO 0.90)")) << command;
  }
}

TEST_F(SessionTest, PromptsListsWhatWaits) {
  const Said nothing = says("prompts");
  EXPECT_EQ(0, nothing.code);
  EXPECT_EQ("nothing waits for you\n", nothing.err);
  start("asks", "printf \"1) red\\n2) green\\nYour choice: \"; read x");
  ASSERT_EQ(0, says("wait asks --until waiting").code);
  EXPECT_THAT(says("prompts").out, HasSubstr("MULTIPLE_CHOICE  Your choice:  1=red, 2=green"));
  const Json list = json_of("prompts asks --json");
  ASSERT_EQ(1U, list.array().size());
  EXPECT_EQ("2", list[0]["choices"][1]["send"].string());
  EXPECT_EQ("waits", list[0]["why"]["evidence"]["verdict"].string());
  EXPECT_EQ(3, says("prompts nobody").code);
}

TEST_F(SessionTest, LsIsColouredOnATerminalOnlyAndMayBeTurnedOff) {
  start("a", "cat");
  Terminal coloured(tend({"ls"}));
  EXPECT_TRUE(coloured.expect("\x1b[1ma\x1b[0m"));
  support::Start without = tend({"ls"});
  without.env["NO_COLOR"] = "1";
  Terminal plain(without);
  EXPECT_TRUE(plain.expect("sh -c cat"));
  EXPECT_THAT(plain.output(), Not(HasSubstr("\x1b")));
}

TEST_F(SessionTest, LsAsJsonHasTheShapeThatScriptsRelyOn) {
  start("api", "exec cat");
  const Json list = json_of("ls --json");
  ASSERT_EQ(1U, list.array().size());
  const Json& session = list[0];
  EXPECT_EQ(16U, session["id"].string().size());
  EXPECT_EQ("api", session["name"].string());
  EXPECT_THAT((std::vector<std::string>{"working", "waiting", "ready", "unknown"}),
              testing::Contains(session["state"].string()));
  EXPECT_EQ(work_.path().string(), session["cwd"].string());
  ASSERT_EQ(3U, session["command"].array().size());
  EXPECT_EQ("exec cat", session["command"][2].string());
  EXPECT_THAT(session["created_at"].string(), MatchesRegex("20..-..-..T..:..:..\\.......Z"));
  EXPECT_EQ(session["state"].string() == "waiting", !session["prompt"].is_null());
  ASSERT_EQ(1U, session["ptys"].array().size());
  const Json& pty = session["ptys"][0];
  EXPECT_EQ(0, pty["id"].integer());
  EXPECT_LT(1, pty["pid"].integer());
  EXPECT_EQ("running", pty["state"].string());
  EXPECT_TRUE(pty["exit_code"].is_null());
  EXPECT_TRUE(pty["signal"].is_null());
  EXPECT_EQ(120, pty["cols"].integer());
  EXPECT_EQ(30, pty["rows"].integer());
  EXPECT_EQ(0, pty["clients"].integer());
}

TEST_F(SessionTest, LsAndKillTakeMoreSessionsThanAMessageHolds) {
  const std::string label = " --label note=$(head -c 60000 /dev/zero | tr '\\0' x) -- cat";
  for (int i = 0; i < 20; i++) ASSERT_EQ(0, says("run -d -n s" + std::to_string(i) + label).code);
  EXPECT_EQ(20U, json_of("ls --json").array().size());
  EXPECT_EQ(20U, json_of("status --json")["sessions"].array().size());
  EXPECT_EQ(20U, json_of("kill --all --force --json").array().size());
}

TEST_F(SessionTest, LsStillShowsWhatHasEndedAndHow) {
  start("brief", "exit 3");
  ASSERT_TRUE(ends("brief"));
  const Json list = json_of("ls --json");
  EXPECT_EQ("exited", list[0]["state"].string());
  EXPECT_EQ("dead", list[0]["ptys"][0]["state"].string());
  EXPECT_EQ(3, list[0]["ptys"][0]["exit_code"].integer());
  EXPECT_TRUE(list[0]["ptys"][0]["pid"].is_null());
}

TEST_F(SessionTest, StatusHasTheDaemonAndEveryPty) {
  start("api", "cat");
  EXPECT_EQ("api:1\n", says("shell -d api -- sh -c 'exit 9'").out);
  ASSERT_TRUE(ends("api:1"));
  const Said said = says("status");
  EXPECT_EQ(0, said.code);
  EXPECT_THAT(said.out, HasSubstr("version 0.1.0, up "));
  EXPECT_THAT(said.out, HasSubstr("1 living sessions"));
  EXPECT_THAT(said.out, HasSubstr("dead, exited (code 9)"));
  const Json both = json_of("status --json");
  EXPECT_EQ("0.1.0", both["daemon"]["version"].string());
  EXPECT_EQ(0U, both["daemon"]["degraded"].array().size());
  EXPECT_EQ(2U, both["sessions"][0]["ptys"].array().size());
}

TEST_F(SessionTest, StatusOfOneSessionHasEverythingOfIt) {
  ASSERT_EQ(0, says("run -d -n api --label team=blue -- cat").code);
  const Said said = says("status api");
  EXPECT_EQ(0, said.code);
  for (const char* text : {"session      api\n", "label        team=blue\n", "command      cat\n", "120x30"})
    EXPECT_THAT(said.out, HasSubstr(text));
  EXPECT_EQ("blue", json_of("status api --json")["labels"]["team"].string());
}

TEST_F(SessionTest, WhatIsNotThereIsExitCode3InOneLine) {
  start("api", "cat");
  for (const char* arguments :
       {"status none", "kill none", "restart none", "logs none", "screen none", "read none", "send none x",
        "wait none --until quiet", "resize none 80x24", "attach none"}) {
    const Said said = says(arguments);
    EXPECT_EQ(3, said.code) << arguments;
    EXPECT_EQ("", said.out) << arguments;
    EXPECT_THAT(said.err, MatchesRegex("tend: (none: )?there is no session 'none'; tend ls lists them\n"))
        << arguments;
  }
  const Said said = says("screen api:7");
  EXPECT_EQ(3, said.code);
  EXPECT_EQ("tend: session 'api' has no PTY 7; tend status lists them\n", said.err);
}

TEST_F(SessionTest, WhatIsNoTargetIsExitCode2) {
  for (const char* arguments :
       {"logs api:x", "kill :1", "status api:0", "kill", "kill --all api", "ls extra", "restart"}) {
    const Said said = says(arguments);
    EXPECT_EQ(2, said.code) << arguments;
    EXPECT_THAT(said.err, MatchesRegex("tend: [^\n]+\n")) << arguments;
  }
}

TEST_F(SessionTest, ADaemonThatCannotStartIsExitCode4) {
  const Said said = says("ls", "TEND_HOME=/proc/tend");
  EXPECT_EQ(4, said.code);
  EXPECT_EQ("tend: the daemon cannot start: cannot make /proc/tend: No such file or directory\n", said.err);
}

TEST_F(SessionTest, KillEndsSessionsAndSinglePtys) {
  start("a", "cat");
  start("b", "cat");
  ASSERT_EQ("b:1\n", says("shell -d b -- cat").out);
  EXPECT_EQ(0, says("kill a b:1").code);
  const Json list = json_of("ls --json");
  EXPECT_EQ("exited", list[0]["state"].string());
  EXPECT_EQ("running", list[1]["ptys"][0]["state"].string());
  EXPECT_EQ("dead", list[1]["ptys"][1]["state"].string());
}

TEST_F(SessionTest, KillAllLeavesNobody) {
  start("a", "trap \"\" TERM HUP; while :; do sleep 1; done");
  start("b", "cat");
  const Json list = json_of("kill --all --force --json");
  ASSERT_EQ(2U, list.array().size());
  for (const Json& each : list.array()) {
    EXPECT_EQ(0, each["survivors"].integer());
    EXPECT_TRUE(each["error"].is_null());
  }
  EXPECT_TRUE(no_keeper_is_left());
  EXPECT_EQ("[]\n", says("kill --all --json").out) << "there is nothing left to kill, and that is fine";
}

TEST_F(SessionTest, KillOfManyGoesOnAfterOneThatIsNotThere) {
  start("a", "cat");
  const Said said = says("kill none a");
  EXPECT_EQ(3, said.code);
  EXPECT_EQ("tend: none: there is no session 'none'; tend ls lists them\n", said.err);
  EXPECT_EQ("exited", json_of("ls --json")[0]["state"].string());
}

TEST_F(SessionTest, RestartStartsTheSameProgramAgain) {
  start("api", "echo started; exec cat");
  const int first = json_of("ls --json")[0]["ptys"][0]["pid"].integer();
  EXPECT_EQ(0, says("restart api").code);
  const Json pty = json_of("ls --json")[0]["ptys"][0];
  EXPECT_EQ("running", pty["state"].string());
  EXPECT_NE(first, pty["pid"].integer());
  EXPECT_EQ(1, pty["restarts"].integer());
  ASSERT_EQ(0, says("kill api").code);
  const Said said = says("restart api");
  EXPECT_EQ(1, said.code);
  EXPECT_EQ("tend: the session has ended; start it anew with tend run\n", said.err);
}

TEST_F(SessionTest, EventsTellWhatHappenedAndFromWhereToGoOn) {
  start("api", "exit 5");
  ASSERT_TRUE(ends("api"));
  ASSERT_TRUE(wait_until([&] { return says("events").out.find("session.ended") != std::string::npos; }));
  EXPECT_THAT(says("events").out, HasSubstr("pty.exited       api:0  exited (code 5)\n"));
  const std::string lines = says("events --json").out;
  const Json first = Json::parse(lines.substr(0, lines.find('\n')));
  EXPECT_EQ("pty.started", first["kind"].string());
  const std::string rest =
      says("events --json --after " + std::to_string(static_cast<uint64_t>(first["number"].number()))).out;
  EXPECT_EQ(lines.substr(lines.find('\n') + 1), rest);
}

TEST_F(SessionTest, EventsAreFollowedAcrossDaemonsUntilControlC) {
  Terminal terminal(shell("trap : INT; \"$TEND\" ls --json; \"$TEND\" events -f; echo code $?"));
  ASSERT_TRUE(terminal.expect("[]"));
  ASSERT_TRUE(wait_until([&] { return json_of("daemon status --json")["clients"].integer() == 2; }));
  start("api", "cat");
  ASSERT_TRUE(terminal.expect("session.created  api"));
  ASSERT_EQ(0, says("daemon stop").code);
  // It goes on with the next daemon, which it starts if nobody else does.
  ASSERT_TRUE(wait_until([&] {
    const Said status = says("daemon status --json");
    return status.code == 0 && Json::parse(status.out)["clients"].integer() == 2;
  }));
  EXPECT_TRUE(terminal.expect("tend: the daemon was replaced; what happened in between is not known\r\n"));
  ASSERT_EQ(0, says("kill api").code);
  EXPECT_TRUE(terminal.expect("session.ended    api"));
  EXPECT_THAT(terminal.output(), Not(HasSubstr("missed")));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.expect("code 130"));
}

}  // namespace
}  // namespace cli
