// SPDX-License-Identifier: Apache-2.0
// tend exec on the real program.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using support::Terminal;
using testing::HasSubstr;

class ExecTest : public SessionTest {
 protected:
  void SetUp() override { ASSERT_EQ(0, says("run -d -n api -- bash --norc").code); }
};

TEST_F(ExecTest, PrintsTheOutputAndPassesTheStatusOn) {
  const Said said = says("exec api -- 'echo out; echo err >&2; (exit 7)'");
  EXPECT_EQ(7, said.code);
  EXPECT_EQ("out\nerr\n", said.out);
  EXPECT_EQ("", said.err);
  EXPECT_EQ("no newline", says("exec api -- 'printf \"no newline\"'").out);
}

TEST_F(ExecTest, SeveralWordsReachTheCommandAsTheyAre) {
  EXPECT_EQ("a  b\n$HOME\n", says("exec api -- printf '%s\\n' 'a  b' '$HOME'").out);
  EXPECT_EQ("[x]\n", says("exec api -- echo '[x]'").out);
}

TEST_F(ExecTest, IsOneShellFromCallToCall) {
  EXPECT_EQ(0, says("exec api -- 'cd /usr && export COLOUR=blue'").code);
  EXPECT_EQ("/usr blue\n", says("exec api -- 'echo $PWD $COLOUR'").out);
}

TEST_F(ExecTest, SaysEverythingAsJson) {
  const Json done = json_of("exec --json api -- 'echo hi'");
  EXPECT_EQ("hi\n", done["output"].string());
  EXPECT_EQ(0, done["exit_code"].number());
  EXPECT_FALSE(done["truncated"].boolean());
  EXPECT_FALSE(done["timed_out"].boolean());
  EXPECT_TRUE(done.has("duration_ms"));
  const Said killed = says("exec --json api -- 'sh -c \"kill -TERM \\$\\$\"'");
  EXPECT_EQ(143, killed.code);
  EXPECT_EQ(15, Json::parse(killed.out)["signal"].number());
  const Said late = says("exec --json --timeout 300 api -- 'echo begun; sleep 600'");
  EXPECT_EQ(124, late.code);
  EXPECT_TRUE(Json::parse(late.out)["timed_out"].boolean());
  EXPECT_EQ("begun\n", Json::parse(late.out)["output"].string());
}

TEST_F(ExecTest, ATimeoutIsSaidAndTheNextOneCanInterrupt) {
  const Said late = says("exec --timeout 300 api -- 'echo begun; sleep 600'");
  EXPECT_EQ(124, late.code);
  EXPECT_EQ("begun\n", late.out);
  EXPECT_THAT(late.err, HasSubstr("timed out; the command goes on"));
  const Said next = says("exec --interrupt api -- 'echo next'");
  EXPECT_EQ(0, next.code) << next.err;
  EXPECT_EQ("next\n", next.out);
}

TEST_F(ExecTest, ShowsOutputAsItComesAndPassesCtrlCOn) {
  // Behind what it prints, the program is in front, and no longer the shell that starts it.
  Terminal terminal(
      shell("\"$TEND\" exec api -- 'sh -c \"echo begun; exec sleep 600\"; echo never'; echo code $?"));
  ASSERT_TRUE(terminal.expect("begun\r\n"));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.expect("code 130"));
  const Said next = says("exec api -- 'echo next'");
  EXPECT_EQ("next\n", next.out) << next.err;
}

TEST_F(ExecTest, CtrlCAlsoEndsItBehindAPipeThatNobodyReads) {
  const std::string fifo = work_.file("fifo");
  ASSERT_EQ(0, ::mkfifo(fifo.c_str(), 0600));
  // Open at both ends in this process, which never reads.
  const int reader = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  Terminal terminal(shell("\"$TEND\" exec api -- yes > " + fifo + "; echo code $?"));
  ASSERT_TRUE(support::wait_until([&] {
    pollfd full{reader, POLLOUT, 0};
    return ::poll(&full, 1, 0) == 0;
  }));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.expect("code 130"));
  ::close(reader);
  EXPECT_EQ("next\n", says("exec api -- 'echo next'").out);
}

TEST_F(ExecTest, ACommandWhoseReaderHasGoneIsInterrupted) {
  Terminal terminal(shell("set -o pipefail; \"$TEND\" exec api -- yes | head -n 1; echo code $?"));
  EXPECT_TRUE(terminal.expect("y\r\ncode 141"));
  EXPECT_EQ("next\n", says("exec api -- 'echo next'").out);
}

TEST_F(ExecTest, GivesMuchOutputToWhoeverReadsIt) {
  std::string expected;
  for (int i = 1; i <= 300'000; i++) expected += std::to_string(i) + "\n";
  const Said said = says("exec --timeout 60000 api -- 'seq 1 300000'");
  EXPECT_EQ(0, said.code) << said.err;
  EXPECT_TRUE(expected == said.out) << said.out.size();
}

TEST_F(ExecTest, SaysWhatIsInFront) {
  ASSERT_EQ(0, says("run -d -n editor -- cat").code);
  const Said said = says("exec editor -- 'echo x'");
  EXPECT_EQ(1, said.code);
  EXPECT_THAT(said.err, HasSubstr("'cat' is in front"));
  EXPECT_EQ(3, says("exec nobody -- true").code);
  EXPECT_EQ(2, says("exec --sentinel x api -- true").code);
}

TEST_F(ExecTest, OfAShellThatEndsSaysSo) {
  const Said said = says("exec api -- 'echo last; exit 3'");
  EXPECT_EQ(3, said.code);
  EXPECT_THAT(said.out, HasSubstr("last\n"));
  EXPECT_THAT(said.err, HasSubstr("the program has ended"));
}

}  // namespace
}  // namespace cli
