// SPDX-License-Identifier: Apache-2.0
// Keepers that are there and do not answer, stopped as by a debugger: whoever waits for them hears so in
// time, what was said not to start does not start later, and what they keep is not taken for lost.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <optional>

#include "daemon_fixture.h"
#include "pty/keeper_link.h"

namespace host_test {
namespace {

using testing::HasSubstr;

constexpr const char* kImpatient = "supervision:\n  task_timeout_seconds: 3\n";

class HungKeeper : public DaemonTest {
 protected:
  // Goes on at the test's end, so that it can be ended.
  class Stopped {
   public:
    explicit Stopped(pid_t pid) : pid_(pid) { EXPECT_EQ(0, ::kill(pid, SIGSTOP)); }
    ~Stopped() { go_on(); }
    Stopped(const Stopped&) = delete;
    Stopped& operator=(const Stopped&) = delete;
    void go_on() { ::kill(pid_, SIGCONT); }

   private:
    pid_t pid_;
  };

  pid_t spare() {
    std::optional<pid_t> found;
    EXPECT_TRUE(support::wait_until([&] { return (found = home_.spare_keeper()).has_value(); }));
    return found.value_or(-1);
  }
  std::string run_and_find(Peer& peer, const std::string& script, pid_t& keeper, json::object more = {}) {
    const std::vector<pid_t> before = home_.keepers();
    const std::string id = run(peer, script, std::move(more));
    for (const pid_t each : home_.keepers())
      if (std::find(before.begin(), before.end(), each) == before.end()) keeper = each;
    EXPECT_GT(keeper, 0);
    return id;
  }
  json::object touching(const std::string& file) {
    return {{"command", json::array{"touch", home_.file(file)}}, {"cwd", home_.path()}};
  }
  bool is_there(const std::string& file) { return std::filesystem::exists(home_.file(file)); }
};

TEST_F(HungKeeper, ASessionThatDoesNotComeUpIsToldInTimeAndDoesNotStartLater) {
  Peer peer = this->peer();
  const pid_t hung = spare();
  Stopped keeper(hung);
  json::object request = touching("started");
  request["settings"] = kImpatient;
  const uint64_t asked = peer.client().send("session.create", request);
  const auto answer = peer.answer(asked);
  ASSERT_TRUE(answer);
  ASSERT_FALSE(answer->result);
  EXPECT_EQ(base::Code::pty_spawn_failed, answer->result.error().code);
  EXPECT_THAT(answer->result.error().message(), HasSubstr("does not answer"));
  EXPECT_TRUE(peer.ok("session.list").at("sessions").as_array().empty());
  // The next one has another keeper.
  const std::string id = run(peer, "echo here; cat");
  EXPECT_TRUE(prints(peer, id, "here"));
  keeper.go_on();
  EXPECT_TRUE(support::wait_until([&] { return ::kill(hung, 0) != 0; })) << "nobody wants it any more";
  EXPECT_FALSE(is_there("started"));
  EXPECT_EQ(1U, peer.ok("session.list").at("sessions").as_array().size());
}

TEST_F(HungKeeper, AShellThatDoesNotComeUpDoesNotStartLaterAndTheNextOneDoes) {
  Peer peer = this->peer();
  pid_t pid = -1;
  const std::string id = run_and_find(peer, "cat", pid, {{"settings", kImpatient}});
  Stopped keeper(pid);
  json::object late = touching("late");
  late["session"] = id;
  EXPECT_EQ("PTY_SPAWN_FAILED", peer.code("pty.spawn", late));
  keeper.go_on();
  json::object next = touching("next");
  next["session"] = id;
  peer.ok("pty.spawn", next);
  EXPECT_TRUE(support::wait_until([&] { return is_there("next"); }));
  EXPECT_FALSE(is_there("late"));
  EXPECT_EQ("running", session(peer, id).at_pointer("/ptys/0/state").as_string());
}

TEST_F(HungKeeper, WhoeverKillsItsSessionIsToldAndItEndsWhenItCan) {
  Peer peer = this->peer();
  pid_t pid = -1;
  const std::string id = run_and_find(peer, "cat", pid, {{"settings", kImpatient}});
  Stopped keeper(pid);
  EXPECT_EQ("PTY_TIMEOUT", peer.code("session.kill", {{"session", id}, {"force", true}}));
  keeper.go_on();
  EXPECT_TRUE(becomes(peer, id, "dead"));
  EXPECT_TRUE(support::wait_until([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(HungKeeper, ADaemonThatStartsDoesNotTakeItsSessionForLost) {
  Peer first = this->peer();
  pid_t pid = -1;
  const std::string other = run(first, "echo other; cat");
  const std::string id =
      run_and_find(first, "echo before; read a; echo after; exit 7", pid, {{"name", "kept"}});
  ASSERT_TRUE(prints(first, id, "before"));
  const pid_t killed = daemon_pid(first);
  Stopped keeper(pid);
  ASSERT_EQ(0, ::kill(killed, SIGKILL));
  // The other one's keeper brings it back. While it waits for the keepers it is not said not to run.
  ASSERT_TRUE(support::wait_until([&] {
    const std::string holder = support::read_file(home_.file("state/daemon.lock"));
    return holder.ends_with('\n') && holder != std::to_string(killed) + "\n";
  }));
  EXPECT_EQ(0, home_.tend({"daemon", "status"}).status);
  Peer peer = this->peer();
  EXPECT_EQ("running", session(peer, other).at_pointer("/ptys/0/state").as_string());
  const json::value sought = session(peer, "kept");
  EXPECT_EQ("unknown", sought.at("state").as_string());
  EXPECT_TRUE(sought.at("ptys").as_array().empty());
  EXPECT_EQ("PTY_BUSY", peer.code("pty.screen", {{"session", id}}));
  EXPECT_EQ("PTY_BUSY", peer.code("pty.spawn", {{"session", id}, {"command", json::array{"true"}}}));
  EXPECT_THAT(json::serialize(peer.ok("daemon.status").at("degraded")),
              HasSubstr("kept: its keeper does not"));
  keeper.go_on();
  EXPECT_TRUE(support::wait_until([&] { return !session(peer, id).at("ptys").as_array().empty(); }));
  peer.ok("pty.write", {{"session", id}, {"data", "\r"}});
  ASSERT_TRUE(becomes(peer, id, "dead"));
  EXPECT_EQ(7, session(peer, id).at_pointer("/ptys/0/exit_code").to_number<int>());
  EXPECT_THAT(output(peer, id), testing::AllOf(HasSubstr("before"), HasSubstr("after")));
  EXPECT_TRUE(peer.ok("daemon.status").at("degraded").as_array().empty());
}

TEST_F(HungKeeper, OneThatSomebodyElseHoldsForLongIsTakenWhenItCanBe) {
  std::string id;
  {
    Peer peer = this->peer();
    id = run(peer, "echo before; cat");
    ASSERT_TRUE(prints(peer, id, "before"));
  }
  ASSERT_EQ(0, home_.tend({"daemon", "stop"}).status);
  std::optional<pty::KeeperLink> other;
  ASSERT_TRUE(support::wait_until([&] {
    auto link = pty::KeeperLink::connect(home_.file("run/keepers/" + id + ".sock"), {});
    if (!link || !link->wait_for(pty::KeeperLink::kHello, support::kDeadline)) return false;
    other.emplace(std::move(*link));
    return true;
  }));
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  EXPECT_EQ("unknown", session(peer, id).at("state").as_string());
  EXPECT_EQ("PTY_BUSY", peer.code("pty.screen", {{"session", id}}));
  EXPECT_EQ("PTY_BUSY", peer.code("session.kill", {{"session", id}}));
  other.reset();
  EXPECT_TRUE(support::wait_until([&] { return !session(peer, id).at("ptys").as_array().empty(); }));
  EXPECT_THAT(output(peer, id), HasSubstr("before"));
}

}  // namespace
}  // namespace host_test
