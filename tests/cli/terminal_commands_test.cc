// SPDX-License-Identifier: Apache-2.0
// tend screen, logs, read, send, wait, resize on the real program.
#include <gmock/gmock.h>

#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using support::Terminal;
using support::wait_until;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST_F(SessionTest, ScreenPrintsTheRowsInEveryFormat) {
  start("api", "printf \"\\033[31mred\\033[0m  \\nrow 2\"; exec cat");
  ASSERT_EQ(0, says("wait api --until \"text=row 2\"").code);
  const Said text = says("screen api");
  EXPECT_EQ(0, text.code);
  EXPECT_THAT(text.out, StartsWith("red\nrow 2\n"));
  EXPECT_EQ(30, std::count(text.out.begin(), text.out.end(), '\n'));
  EXPECT_THAT(says("screen api --format ansi").out, HasSubstr("\x1b[0;31mred\x1b[0m"));
  EXPECT_THAT(says("screen api --format html").out, HasSubstr("<pre"));
  EXPECT_THAT(says("screen api --format svg").out, StartsWith("<svg"));
  const Json json = json_of("screen api --format json");
  EXPECT_TRUE(json.has("cursor"));
  EXPECT_EQ(says("screen api --json").out, says("screen api --format json").out);
  EXPECT_EQ("tend: format must be text, ansi, html, svg or json\n", says("screen api --format png").err);
  EXPECT_EQ(2, says("screen api --format png").code);
}

TEST_F(SessionTest, ScreenHasWhatScrolledOffOnRequest) {
  start("api", "seq 1 100; exec cat");
  ASSERT_EQ(0, says("wait api --until text=^100").code);
  EXPECT_THAT(says("screen api").out, StartsWith("72\n"));
  EXPECT_THAT(says("screen api --scrollback 5").out, StartsWith("67\n"));
  const Said said = says("screen api --scrollback 5 --format svg");
  EXPECT_EQ(2, said.code);
  EXPECT_EQ("tend: --scrollback goes with the formats text and json\n", said.err);
}

TEST_F(SessionTest, LogsAreLinesOfPlainText) {
  start("api", "printf \"\\033]0;title\\007\\033[1mbold\\033[0m\\n10%%\\r100%%\\nlast\"");
  ASSERT_TRUE(ends("api"));
  EXPECT_EQ("bold\n100%\nlast\n", says("logs api").out);
  EXPECT_EQ("last\n", says("logs api -n 1").out);
  EXPECT_EQ("100%\nlast\n", says("logs api -n 2").out);
  EXPECT_EQ("bold\n100%\nlast\n", says("logs api -n 20").out);
  EXPECT_EQ("", says("logs api -n 0").out);
}

TEST_F(SessionTest, RawLogsAreExactlyTheBytes) {
  start("api", "printf \"\\033[1mbold\\033[0m\\n\\377\\000end\"");
  ASSERT_TRUE(ends("api"));
  EXPECT_EQ(std::string("\x1b[1mbold\x1b[0m\r\n\377\0end", 19), says("logs --raw api").out);
  EXPECT_EQ(std::string("\377\0end", 5), says("logs --raw -n 1 api").out);
}

TEST_F(SessionTest, LogsHaveAllThatTheJournalHas) {
  start("api", "seq 1 50000");
  ASSERT_TRUE(ends("api"));
  std::string expected;
  for (int i = 1; i <= 50'000; i++) expected += std::to_string(i) + "\n";
  EXPECT_TRUE(expected == says("logs api").out);
  EXPECT_EQ("49999\n50000\n", says("logs -n 2 api").out);
}

TEST_F(SessionTest, LogsAreFollowedUntilTheProgramEnds) {
  start("api", "echo one; read x; echo got $x; printf \"more? \"; read x; echo bye");
  Terminal terminal(shell("\"$TEND\" logs -f api; echo code $?"));
  ASSERT_TRUE(terminal.expect("one\r\n"));
  ASSERT_EQ(0, says("send api --enter blue").code);
  ASSERT_TRUE(terminal.expect("got blue\r\n"));
  ASSERT_TRUE(terminal.expect("more? ")) << "a question is shown while it waits";
  ASSERT_EQ(0, says("send api --enter no").code);
  EXPECT_TRUE(terminal.expect("bye\r\ncode 0"));
}

TEST_F(SessionTest, LogsAreFollowedUntilControlC) {
  start_cat("api");
  Terminal terminal(shell("trap : INT; \"$TEND\" logs -f -n 1 api; echo code $?"));
  ASSERT_TRUE(terminal.expect("ready"));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.expect("code 130"));
}

TEST_F(SessionTest, SendTypesTextKeysAndStandardInput) {
  start_cat("api");
  const auto comes = [&](const std::string& text) {
    return says("wait api --timeout 60000 --until 'text=^" + text + "$'").code == 0;
  };
  EXPECT_EQ(0, says("send api --enter 'blue sky'").code);
  EXPECT_TRUE(comes("blue sky"));
  EXPECT_EQ(0, says("send api --enter -- '-x'").code);
  EXPECT_TRUE(comes("-x"));
  EXPECT_EQ(0, says("send api -- '[a,b]'").code);
  EXPECT_EQ(0, says("send api --keys Enter").code);
  EXPECT_TRUE(comes("\\[a,b\\]"));
  EXPECT_EQ(0, says("send api -", "printf 'from\\nstdin\\n' |").code);
  EXPECT_TRUE(comes("from"));
  EXPECT_TRUE(comes("stdin"));
  EXPECT_EQ(0, says("send api --keys a Enter C-d").code);
  EXPECT_TRUE(ends("api")) << "Ctrl+D ends cat";
  const Said late = says("send api more");
  EXPECT_EQ(1, late.code);
  EXPECT_EQ("tend: the program has ended\n", late.err);
}

TEST_F(SessionTest, SendSaysWhatIsWrong) {
  start("api", "cat");
  EXPECT_EQ("tend: what is to be sent? Give TEXT, --keys or --enter\n", says("send api").err);
  EXPECT_EQ("tend: send either TEXT or --keys\n", says("send api text --keys Enter").err);
  const Said said = says("send api --keys Entre");
  EXPECT_EQ(2, said.code);
  EXPECT_THAT(said.err, StartsWith("tend: there is no key 'Entre'; keys are "));
}

TEST_F(SessionTest, ReadHasTheShapeThatScriptsRelyOn) {
  start("api", "printf 0123456789; exec cat");
  ASSERT_EQ(0, says("wait api --until text=0123456789").code);
  const Json first = json_of("read api --since 0 --max-bytes 4 --json");
  EXPECT_EQ("0123", first["data"].string());
  EXPECT_EQ(0, first["offset"].integer());
  EXPECT_EQ(4, first["next_offset"].integer());
  EXPECT_EQ(0, first["lost_bytes"].integer());
  EXPECT_TRUE(first["alive"].boolean());
  EXPECT_EQ("456789", says("read api --since 4").out);
  EXPECT_EQ("NDU2Nzg5\n", says("read api --since 4 --base64").out);
  EXPECT_EQ("NDU2Nzg5", json_of("read api --since 4 --base64 --json")["data"].string());
  const Json nothing = json_of("read api --since 10 --timeout 20 --json");
  EXPECT_EQ("", nothing["data"].string());
  EXPECT_EQ(10, nothing["next_offset"].integer());
  const Said ahead = says("read api --since 99");
  EXPECT_EQ(2, ahead.code);
  EXPECT_EQ("tend: there is no output at 99 yet; it ends at 10\n", ahead.err);
  EXPECT_EQ(2, says("read api --max-bytes none").code);
}

TEST_F(SessionTest, ReadWaitsForSomethingNew) {
  start_cat("api");
  const int end = json_of("read api --json")["next_offset"].integer();
  Terminal terminal(tend({"read", "api", "--since", std::to_string(end), "--timeout", "60000"}));
  ASSERT_TRUE(wait_until([&] { return json_of("daemon status --json")["clients"].integer() == 2; }));
  ASSERT_EQ(0, says("send api --enter later").code);
  EXPECT_TRUE(terminal.expect("later"));
  EXPECT_EQ(0, terminal.wait_exit());
}

TEST_F(SessionTest, WaitTellsWhatCame) {
  start("api", "echo hello there; read x; exit 4");
  EXPECT_EQ("hello there\n", says("wait api --until 'text=^hel+o'").out);
  EXPECT_EQ("quiet\n", says("wait api --until quiet=50").out);
  EXPECT_EQ("quiet\n", says("wait api --until quiet=0").out);
  EXPECT_THAT(says("wait api --until quiet=50 --explain").out,
              StartsWith("it has written nothing for 50 ms or more"));
  const Json json = json_of("wait api --until text=hello --json");
  EXPECT_EQ("running", json["state"].string());
  EXPECT_EQ("text", json["reason"].string());
  ASSERT_EQ(0, says("send api --enter x").code);
  EXPECT_EQ("exited (code 4)\n", says("wait api --until exited").out);
  EXPECT_EQ(4, json_of("wait api --until exited --json")["exit_code"].integer());
}

TEST_F(SessionTest, WaitHasItsOwnExitCodes) {
  start("api", "read x");
  const Said late = says("wait api --until exited --timeout 30");
  EXPECT_EQ(124, late.code);
  EXPECT_EQ("tend: timed out\n", late.err);
  EXPECT_EQ(124, says("wait api --until text=never --timeout 30").code);
  Terminal terminal(shell("\"$TEND\" wait api --until text=never; echo code $?"));
  ASSERT_TRUE(wait_until([&] { return json_of("daemon status --json")["clients"].integer() == 2; }));
  ASSERT_EQ(0, says("kill api").code);
  EXPECT_TRUE(terminal.expect("the program ended, and the text did not come"));
  EXPECT_TRUE(terminal.expect("code 3"));
  for (const char* until : {"waiting", "ready"}) {
    const Said said = says(std::string("wait api --until ") + until);
    EXPECT_EQ(3, said.code);
    EXPECT_EQ("tend: the program ended, and did not come to that\n", said.err);
  }
  for (const char* until : {"quiet=soon", "text=", "text='('", "tea", "exited=1", "waiting=1"}) {
    const Said said = says(std::string("wait api --until ") + until);
    EXPECT_EQ(2, said.code) << until;
    EXPECT_THAT(said.err, MatchesRegex("tend: [^\n]+\n"));
  }
}

TEST_F(SessionTest, WaitIsInterruptedByControlC) {
  start("api", "read x");
  Terminal terminal(shell("trap : INT; \"$TEND\" wait api --until exited; echo code $?"));
  ASSERT_TRUE(wait_until([&] { return json_of("daemon status --json")["clients"].integer() == 2; }));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.expect("code 130"));
}

TEST_F(SessionTest, ResizeReachesTheProgram) {
  start("api", "trap \"stty size\" WINCH; echo ready; while :; do sleep 0.05; done");
  ASSERT_EQ(0, says("wait api --until text=ready").code);
  EXPECT_EQ(0, says("resize api 100x20").code);
  EXPECT_EQ(0, says("wait api --until 'text=^20 100'").code);
  EXPECT_EQ(90, json_of("resize api 90x21 --json")["cols"].integer());
  const Said said = says("resize api 100");
  EXPECT_EQ(2, said.code);
  EXPECT_EQ("tend: SIZE is COLSxROWS, each from 1 to 1000, as in 120x30\n", said.err);
}

TEST_F(SessionTest, AWordInBracketsStaysOneWord) {
  ASSERT_EQ(0, says("run -d -n api -- echo '[a,b]' '[]'").code);
  ASSERT_TRUE(ends("api"));
  EXPECT_EQ("[a,b] []\n", says("logs api").out);
}

TEST_F(SessionTest, ShellTakesACommandWithOrWithoutASession) {
  start("api", "cat");
  EXPECT_EQ("api:1\n", says("shell -d api -- echo '[one]' -x").out);
  EXPECT_EQ("api:2\n", says("shell -d -- echo two").out);
  EXPECT_EQ("api:3\n", says("shell -d").out);
  ASSERT_TRUE(ends("api:1"));
  ASSERT_TRUE(ends("api:2"));
  EXPECT_EQ("[one] -x\n", says("logs api:1").out);
  EXPECT_EQ("two\n", says("logs api:2").out);
}

}  // namespace
}  // namespace cli
