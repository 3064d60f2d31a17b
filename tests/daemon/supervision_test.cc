// SPDX-License-Identifier: Apache-2.0
// Parts of a PTY's service that stall: each is cancelled and started again, three times, and then given up.
#include <csignal>
#include <cstdlib>
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::HasSubstr;

constexpr const char* kSettings =
    "supervision:\n  task_timeout_seconds: 1\n  restart_delay_seconds: 0.3\nprompts:\n"
    "  injection_timeout_seconds: 60\n";

class Supervision : public DaemonTest {
 protected:
  void SetUp() override {}
  void start(const std::string& fault) {
    if (!fault.empty()) ::setenv("TEND_FAULT", fault.c_str(), 1);
    DaemonTest::SetUp();
    ::unsetenv("TEND_FAULT");
    peer_.emplace(peer());
  }
  std::string log() {
    std::string all;
    for (const auto& each : std::filesystem::recursive_directory_iterator(home_.path()))
      if (each.path().extension() == ".log") all += support::read_file(each.path().string());
    return all;
  }
  bool is_given_up(const std::string& part) {
    return support::wait_until([&] {
      const std::string said = log();
      return count_of(said, part) >= 4 && said.find("is given up") != std::string::npos;
    });
  }
  void expect_restarts(const std::string& part) {
    const std::string said = log();
    EXPECT_EQ(4U, count_of(said, part)) << said;
    EXPECT_EQ(3U, count_of(said, "is started again")) << said;
    EXPECT_EQ(1U, count_of(said, "is given up")) << said;
  }
  json::array degraded() { return peer_->ok("daemon.status").at("degraded").as_array(); }

  std::optional<Peer> peer_;
};

TEST_F(Supervision, ATerminalThatCannotBeReadEndsItsSession) {
  start("stall_reader");
  const std::string id = run(*peer_, "echo hello; exec sleep 60", {{"settings", kSettings}});
  ASSERT_TRUE(is_given_up("the reader of"));
  expect_restarts("the reader of");
  EXPECT_TRUE(becomes(*peer_, id, "dead"));
  const json::value rows = peer_->ok("audit.show", {{"action", "unserved"}});
  ASSERT_EQ(1U, rows.as_array().size());
  EXPECT_EQ("its terminal cannot be read", rows.as_array()[0].at("summary").as_string());
}

TEST_F(Supervision, ATerminalThatCannotBeWrittenEndsItsSession) {
  start("stall_writer");
  const std::string id = run(*peer_, "exec cat", {{"settings", kSettings}});
  Peer terminal = peer("ada");
  terminal.attach({{"session", id}});
  terminal.type("hello\r");
  const auto gone = terminal.heard("pty.detached");
  ASSERT_TRUE(gone);
  EXPECT_EQ("its terminal cannot be written", gone->at("reason").as_string());
  expect_restarts("the writer of");
  EXPECT_TRUE(becomes(*peer_, id, "dead"));
}

// It never reads, which is its own affair.
TEST_F(Supervision, AProgramThatDoesNotReadIsNoStall) {
  start("");
  const std::string id = run(*peer_, "stty raw; exec sleep 60", {{"settings", kSettings}});
  Peer terminal = peer("ada");
  terminal.attach({{"session", id}});
  terminal.type(std::string(32 << 10, 'x'));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  ASSERT_TRUE(support::wait_until([&] { return std::chrono::steady_clock::now() > end; }));
  EXPECT_TRUE(becomes(*peer_, id, "running"));
  EXPECT_EQ(0U, count_of(log(), "made no progress"));
  EXPECT_EQ(0U, degraded().size());
}

TEST_F(Supervision, AKeeperThatNeverAnswersLeavesPromptsToTheirText) {
  start("stall_probe");
  const std::string id = run(*peer_, "printf 'Continue? (y/n) '; read a; echo \"got <$a>\"; exec sleep 60",
                             {{"settings", kSettings}});
  ASSERT_TRUE(is_given_up("the probe of"));
  expect_restarts("the probe of");
  json::value prompt;
  ASSERT_TRUE(support::wait_until([&] {
    const json::value list = peer_->ok("prompt.list");
    if (!list.as_array().empty()) prompt = list.as_array()[0];
    return prompt.is_object();
  }));
  EXPECT_THAT(std::string(prompt.at_pointer("/why/rule").as_string()),
              HasSubstr("the kernel may not be asked"));
  ASSERT_EQ(1U, degraded().size());
  EXPECT_THAT(std::string(degraded()[0].as_string()), HasSubstr("its keeper does not answer"));
  // The terminal is served as before.
  peer_->ok("pty.write", {{"session", id}, {"data", "y\r"}});
  EXPECT_TRUE(prints(*peer_, id, "got <y>"));
}

// A stopped keeper answers no look; when it goes on, all is well again.
TEST_F(Supervision, AKeeperThatComesBackIsAskedAgain) {
  start("");
  const std::string id =
      run(*peer_, "read go; printf 'Continue? (y/n) '; read a; exec sleep 60", {{"settings", kSettings}});
  const auto keepers = home_.keepers();
  ASSERT_EQ(1U, keepers.size());
  ASSERT_EQ(0, ::kill(keepers[0], SIGSTOP));
  peer_->ok("pty.write", {{"session", id}, {"data", "\r"}});
  EXPECT_TRUE(support::wait_until([&] { return count_of(log(), "is started again") == 1; }));
  ASSERT_EQ(0, ::kill(keepers[0], SIGCONT));
  ASSERT_TRUE(support::wait_until([&] { return peer_->ok("prompt.list").as_array().size() == 1; }));
  EXPECT_EQ(0U, degraded().size());
}

TEST_F(Supervision, AStoreThatNeverAnswersEndsEachAnswerAndThenTheGate) {
  start("stall_injector");
  const std::string id =
      run(*peer_, "printf 'Name: '; read a; echo \"got <$a>\"; exec sleep 60", {{"settings", kSettings}});
  json::value prompt;
  ASSERT_TRUE(support::wait_until([&] {
    const json::value list = peer_->ok("prompt.list");
    if (!list.as_array().empty()) prompt = list.as_array()[0];
    return prompt.is_object();
  }));
  const auto answer = [&] {
    return peer_->code("prompt.answer", {{"prompt_id", prompt.at("id")}, {"answer", "Eve"}});
  };
  for (int i = 0; i < 4; i++) EXPECT_EQ("PTY_TIMEOUT", answer()) << i;
  EXPECT_EQ("INTERNAL", answer());
  expect_restarts("the gate of");
  ASSERT_EQ(1U, degraded().size());
  EXPECT_THAT(std::string(degraded()[0].as_string()), HasSubstr("answers came to nothing"));
  // Nothing was written, and whoever types is heard.
  peer_->ok("pty.write", {{"session", id}, {"data", "Ada\r"}});
  EXPECT_TRUE(prints(*peer_, id, "got <Ada>"));
}

}  // namespace
}  // namespace host_test
