// SPDX-License-Identifier: Apache-2.0
// The states of a PTY and what its clients are told (Table 8-1), restarts, and the end of a session.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::HasSubstr;

constexpr const char* kExited3 = "\r\n\x1b[2m[process exited (code 3)]\x1b[0m\r\n";

class Table81 : public DaemonTest {
 protected:
  // Counts its lives in a file, and lives as long as `live` takes.
  std::string counted(const std::string& live) {
    return "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; echo life $n; " + live;
  }
  static json::object restarting(const std::string& delay_ms) {
    return {{"settings", "session: {auto_restart: true, restart_delay_ms: " + delay_ms + "}"}};
  }
  static bool is(const json::object& params, const char* key, std::string_view value) {
    return params.at(key).as_string() == value;
  }
};

TEST_F(Table81, ClientsAreToldOfTheEndToTheLetter) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf hello; read a; exit 3");
  peer.attach({{"session", id}});
  ASSERT_TRUE(peer.shows("hello"));
  peer.type("\r");
  ASSERT_TRUE(peer.shows(kExited3));
  EXPECT_EQ(1U, count_of(peer.shown(), kExited3));
  EXPECT_THAT(peer.shown(), testing::Not(HasSubstr("restarting")));
  const auto notice = peer.heard("pty.notice");
  ASSERT_TRUE(notice);
  EXPECT_TRUE(is(*notice, "kind", "exited"));
  EXPECT_EQ(3, notice->at("exit_code").to_number<int>());
  const auto detached = peer.heard("pty.detached");
  ASSERT_TRUE(detached);
  EXPECT_TRUE(is(*detached, "reason", "the program has ended"));
  EXPECT_EQ("PTY_PROCESS_EXITED", peer.code("pty.attach", {{"session", id}}));
  EXPECT_THAT(std::string(peer.ok("pty.screen", {{"session", id}}).at("data").as_string()),
              HasSubstr("[process exited (code 3)]"));
}

TEST_F(Table81, ADeathBySignalIs128AndTheSignal) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf x; kill -SEGV $$");
  ASSERT_TRUE(becomes(peer, id, "dead"));
  EXPECT_EQ(139, session(peer, id).at_pointer("/ptys/0/exit_code").to_number<int>());
  EXPECT_EQ(11, session(peer, id).at_pointer("/ptys/0/signal").to_number<int>());
  EXPECT_THAT(std::string(peer.ok("pty.screen", {{"session", id}}).at("data").as_string()),
              HasSubstr("[process exited (code 139)]"));
}

TEST_F(Table81, AnAgentIsStartedAgainAndItsClientsFollow) {
  Peer one = this->peer();
  Peer two = this->peer();
  json::object how = restarting("100");
  how["cols"] = 91;
  const std::string id = run(one, counted("stty size; read a; echo bye; exit 3"), how);
  one.attach({{"session", id}});
  two.attach({{"session", id}, {"role", "observer"}});
  ASSERT_TRUE(one.shows("30 91"));
  one.type("\r");
  for (Peer* each : {&one, &two}) {
    ASSERT_TRUE(each->shows(std::string(kExited3) + "\x1b[2m[restarting in 100ms...]\x1b[0m\r\n"));
    ASSERT_TRUE(each->shows("restarting in 100ms...]\x1b[0m\r\nlife 2\r\n30 91")) << "the size is kept";
    const auto again =
        each->heard("pty.notice", [](const json::object& params) { return is(params, "kind", "restarted"); });
    EXPECT_TRUE(again);
    EXPECT_EQ(0U, each->count("pty.detached"));
  }
  one.type("\r");
  EXPECT_TRUE(two.shows("life 3")) << "keys reach the new one";
  const json::value now = session(one, id);
  EXPECT_EQ(2, now.at_pointer("/ptys/0/restarts").to_number<int>());
  EXPECT_EQ(2, now.at_pointer("/ptys/0/clients").to_number<int>());
  EXPECT_TRUE(now.at("auto_restart").as_bool());
}

TEST_F(Table81, StatesAreThoseOfTheTable) {
  Peer peer = this->peer();
  peer.ok("events.subscribe");
  const std::string id = run(peer, "read a; exit 1", restarting("150"));
  ASSERT_TRUE(becomes(peer, id, "running"));
  peer.ok("pty.write", {{"session", id}, {"data", "\r"}});
  ASSERT_TRUE(becomes(peer, id, "restarting"));
  EXPECT_EQ("restarting", std::string(session(peer, id).at("state").as_string()));
  EXPECT_EQ("PTY_PROCESS_EXITED", peer.code("pty.write", {{"session", id}, {"data", "x"}}));
  ASSERT_TRUE(becomes(peer, id, "running"));
  std::vector<std::string> kinds;
  while (kinds.size() < 5) {
    const auto event = peer.heard("event", [](const json::object& params) {
      return !is(params, "kind", "pty.state") && !params.at("kind").as_string().starts_with("prompt.");
    });
    ASSERT_TRUE(event);
    kinds.emplace_back(event->at("kind").as_string());
    EXPECT_EQ(kinds.back() == "pty.restarting", event->contains("delay_ms"));
    EXPECT_EQ(kinds.back() == "pty.exited" || kinds.back() == "pty.restarting", event->contains("exit_code"));
  }
  EXPECT_THAT(kinds, testing::ElementsAre("pty.started", "session.created", "pty.exited", "pty.restarting",
                                          "pty.started"));
}

TEST_F(Table81, AfterThreeShortLivesTheDelayDoubles) {
  Peer peer = this->peer();
  peer.ok("events.subscribe");
  const std::string id = run(peer, "exit 1", restarting("20"));
  std::vector<int> delays;
  while (delays.size() < 6) {
    const auto event =
        peer.heard("event", [](const json::object& params) { return is(params, "kind", "pty.restarting"); });
    ASSERT_TRUE(event);
    delays.push_back(event->at("delay_ms").to_number<int>());
  }
  EXPECT_THAT(delays, testing::ElementsAre(20, 20, 20, 40, 80, 160));
  EXPECT_TRUE(session(peer, id).at("backing_off").as_bool()) << "the state says so";
  peer.ok("session.kill", {{"session", id}});
  EXPECT_TRUE(becomes(peer, id, "dead"));
}

TEST_F(Table81, ARestartIsMadeOnRequest) {
  Peer peer = this->peer();
  const std::string id = run(peer, counted("cat"));
  peer.attach({{"session", id}});
  ASSERT_TRUE(peer.shows("life 1"));
  const json::value again = peer.ok("session.restart", {{"session", id}});
  EXPECT_EQ("running", std::string(again.at_pointer("/ptys/0/state").as_string()));
  EXPECT_TRUE(peer.shows("life 2"));
  EXPECT_THAT(peer.shown(), HasSubstr("[restarting in 0ms...]"));
}

TEST_F(Table81, AnAgentThatWasKilledStaysDeadUntilItIsRestarted) {
  Peer peer = this->peer();
  const std::string id = run(peer, counted("read a; exit 0"), restarting("10"));
  ASSERT_TRUE(prints(peer, id, "life 1")) << "it has counted itself";
  peer.ok("pty.spawn", {{"session", id}});
  peer.ok("pty.kill", {{"session", id}, {"pty", 0}, {"force", true}});
  EXPECT_EQ("dead", std::string(session(peer, id).at_pointer("/ptys/0/state").as_string())) << "at once";
  peer.ok("session.restart", {{"session", id}});
  ASSERT_TRUE(prints(peer, id, "life 2"));
  peer.ok("pty.write", {{"session", id}, {"data", "\r"}});
  EXPECT_TRUE(prints(peer, id, "life 3")) << "restarts by itself again";
}

TEST_F(Table81, AnAgentThatIsKilledWhileItWaitsToRestartStaysDead) {
  Peer peer = this->peer();
  const std::string id = run(peer, "exit 1", restarting("300000"));
  peer.ok("pty.spawn", {{"session", id}});
  ASSERT_TRUE(becomes(peer, id, "restarting"));
  peer.ok("pty.kill", {{"session", id}, {"pty", 0}});
  EXPECT_EQ("dead", std::string(session(peer, id).at_pointer("/ptys/0/state").as_string()));
  EXPECT_EQ("running", std::string(session(peer, id).at_pointer("/ptys/1/state").as_string()));
}

TEST_F(Table81, ShellsLiveOnAndTheSessionEndsWithTheLast) {
  Peer peer = this->peer();
  const std::string id = run(peer, "read a; exit 4");
  const json::value shell =
      peer.ok("pty.spawn", {{"session", id}, {"command", json::array{"/bin/sh", "-c", "read a; exit 5"}}});
  EXPECT_EQ(1, shell.at("id").to_number<int>());
  EXPECT_EQ(2, peer.ok("pty.spawn", {{"session", id}}).at("id").to_number<int>());
  peer.ok("pty.write", {{"session", id}, {"data", "\r"}});
  ASSERT_TRUE(becomes(peer, id, "dead", 0));
  EXPECT_TRUE(session(peer, id).at("ended_at").is_null());
  peer.ok("pty.write", {{"session", id}, {"pty", 1}, {"data", "\r"}});
  ASSERT_TRUE(becomes(peer, id, "dead", 1));
  EXPECT_EQ(3, peer.ok("pty.spawn", {{"session", id}}).at("id").to_number<int>())
      << "numbers are not used again";
  EXPECT_EQ("PTY_PROCESS_EXITED", peer.code("pty.write", {{"session", id}, {"pty", 1}, {"data", "x"}}));
  for (const int number : {2, 3}) peer.ok("pty.kill", {{"session", id}, {"pty", number}, {"force", true}});
  EXPECT_FALSE(session(peer, id).at("ended_at").is_null());
  EXPECT_EQ(4, session(peer, id).at_pointer("/ptys/0/exit_code").to_number<int>());
  EXPECT_EQ(5, session(peer, id).at_pointer("/ptys/1/exit_code").to_number<int>());
  EXPECT_TRUE(support::wait_until([&] { return home_.keepers().empty(); }));
}

TEST_F(Table81, WhatAProgramLeftOnIsUndoneBeforeTheNotice) {
  Peer peer = this->peer();
  const std::string id =
      run(peer, "read a; printf '\\033[?1049h\\033[?2004h\\033[?1000hfull screen'; exit 3");
  peer.attach({{"session", id}});
  peer.type("\r");
  ASSERT_TRUE(peer.shows(kExited3));
  const size_t notice = peer.shown().find(kExited3);
  for (const char* undo : {"\x1b[?1049l", "\x1b[?2004l", "\x1b[?1000l"})
    EXPECT_LT(peer.shown().find(undo), notice) << undo + 1;
}

TEST_F(Table81, EndedSessionsAreForgottenAfterTheirTime) {
  Peer peer = this->peer();
  const std::string id = run(peer, "exit 0", {{"settings", "session: {keep_exited_secs: 1}"}});
  EXPECT_TRUE(support::wait_until(
      [&] { return peer.code("session.get", {{"session", id}}) == "PTY_SESSION_NOT_FOUND"; }));
  EXPECT_TRUE(support::wait_until([&] { return std::filesystem::is_empty(home_.file("state/journals")); }));
}

}  // namespace
}  // namespace host_test
