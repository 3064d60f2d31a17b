// SPDX-License-Identifier: Apache-2.0
// What the runner of a loop asks of the daemon: runs of an agent, one after the other in one PTY, and the end
// of all of them with the runner's own.
#include <csignal>
#include <gmock/gmock.h>
#include <sys/types.h>

#include "base/ids.h"
#include "daemon_fixture.h"
#include "wire/params.h"

namespace host_test {
namespace {

using support::wait_until;
using testing::HasSubstr;
using testing::Not;

bool lives(pid_t pid) { return ::kill(pid, 0) == 0; }

class LoopMethods : public DaemonTest {
 protected:
  // A session whose runner only waits.
  std::string start_loop(Peer& peer) { return run(peer, "exec sleep 1000", {{"loop", base::new_id()}}); }

  static json::object iteration(const std::string& session, int run, const std::string& script) {
    return {{"session", session}, {"run", run}, {"command", json::array{"sh", "-c", script}}};
  }
  json::object iterate(Peer& peer, const std::string& session, int run, const std::string& script) {
    return peer.ok("loop.iterate", iteration(session, run, script)).as_object();
  }
  pid_t runner(Peer& peer, const std::string& id) {
    return static_cast<pid_t>(session(peer, id).at("ptys").at(0).at("pid").to_number<int64_t>());
  }
  json::value agent(Peer& peer, const std::string& id) { return session(peer, id).at("ptys").at(1); }
  // The number in a file that a program of the test writes its pid into.
  pid_t pid_in(const std::string& file) {
    wait_until([&] { return support::read_file(file).ends_with('\n'); });
    return static_cast<pid_t>(std::stoi("0" + support::read_file(file)));
  }
};

TEST_F(LoopMethods, RunsFollowEachOtherInOnePtyAndItsViewersFollow) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  const json::object first = iterate(peer, id, 1, "printf '\\033[?1049hfirst'; read go; exit 3");
  EXPECT_EQ(1, first.at("pty").to_number<int>());
  EXPECT_EQ(0, first.at("offset").to_number<int>());
  Peer viewer = this->peer("viewer");
  viewer.attach({{"session", id}, {"from", 0}});
  ASSERT_TRUE(viewer.shows("first"));
  viewer.type("\r");
  ASSERT_TRUE(becomes(peer, id, "exited", 1));
  EXPECT_EQ(3, agent(peer, id).at("exit_code").to_number<int>());
  // The screen that the program left is undone, and no more is said.
  EXPECT_TRUE(viewer.shows("\x1b[?1049l"));
  EXPECT_THAT(viewer.shown(), Not(HasSubstr("process exited")));

  const json::object second = iterate(peer, id, 2, "echo second; exec sleep 1000");
  EXPECT_GT(second.at("offset").to_number<int>(), 0);
  EXPECT_EQ(first.at("journal"), second.at("journal"));
  EXPECT_TRUE(viewer.shows("second"));
  EXPECT_EQ("running", agent(peer, id).at("state").as_string());
  EXPECT_TRUE(
      viewer.heard("pty.notice", [](const auto& notice) { return notice.at("kind") == "restarted"; }));
}

TEST_F(LoopMethods, WhoComesBehindARunSeesTheScreenAsItIs) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  iterate(peer, id, 1, "printf 'plain \\033[?1049hother'");
  ASSERT_TRUE(becomes(peer, id, "exited", 1));
  Peer viewer = this->peer("viewer");
  viewer.attach({{"session", id}, {"from", 0}});
  EXPECT_TRUE(viewer.shows("plain"));
  EXPECT_THAT(viewer.shown(), Not(HasSubstr("other")));
  // One that must have every byte gets it.
  Peer reader = this->peer("reader");
  reader.attach({{"session", id}, {"from", 0}, {"lossless", true}, {"role", "observer"}});
  EXPECT_TRUE(reader.shows("plain \x1b[?1049hother"));
}

TEST_F(LoopMethods, ARunThatIsThereAlreadyIsNotStartedAgain) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  const json::object first = iterate(peer, id, 1, "exec sleep 1000");
  EXPECT_EQ(first, iterate(peer, id, 1, "exec sleep 1000"));
  EXPECT_EQ("PTY_BUSY", peer.code("loop.iterate", iteration(id, 2, "true")));
  EXPECT_EQ("INVALID_PARAM", peer.code("loop.iterate", iteration(id, 3, "true")));
}

TEST_F(LoopMethods, OnlyALoopHasThem) {
  Peer peer = this->peer();
  const std::string id = run(peer, "exec sleep 1000");
  EXPECT_EQ("INVALID_PARAM", peer.code("loop.iterate", iteration(id, 1, "true")));
  EXPECT_EQ(
      "INVALID_PARAM",
      peer.code("loop.report", {{"session", id}, {"mode", "pty"}, {"iteration", 1}, {"phase", "running"}}));
  EXPECT_EQ("INVALID_PARAM",
            peer.code("session.create", {{"command", json::array{"true"}}, {"loop", "../x"}}));
}

TEST_F(LoopMethods, AProgramThatCannotBeStartedLeavesRoomForTheNextRun) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  const json::object nothing{{"session", id}, {"run", 1}, {"command", json::array{"/no/such/program"}}};
  EXPECT_EQ("PTY_SPAWN_FAILED", peer.code("loop.iterate", nothing));
  iterate(peer, id, 1, "exit 0");
  ASSERT_TRUE(becomes(peer, id, "exited", 1));
  json::object again = nothing;
  again["run"] = 2;
  const auto answer = peer.answer(peer.client().send("loop.iterate", again));
  ASSERT_TRUE(answer && !answer->result);
  EXPECT_FALSE(answer->data.contains("terminal"));
  iterate(peer, id, 2, "exec sleep 1000");
  EXPECT_TRUE(becomes(peer, id, "running", 1));
}

TEST_F(LoopMethods, AShellInALoopDoesNotTakeTheAgentsPlace) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  EXPECT_EQ(2, peer.ok("pty.spawn", {{"session", id}, {"command", json::array{"sleep", "1000"}}})
                   .at("id")
                   .to_number<int>());
  EXPECT_EQ(1, iterate(peer, id, 1, "exec sleep 1000").at("pty").to_number<int>());
}

TEST_F(LoopMethods, WhatIsSaidWithoutANumberIsForTheAgent) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  EXPECT_EQ(0, peer.ok("pty.resolve", {{"target", id}}).at("pty").to_number<int>());
  iterate(peer, id, 1, "read line; echo got $line; exec sleep 1000");
  EXPECT_EQ(1, peer.ok("pty.resolve", {{"target", id}}).at("pty").to_number<int>());
  EXPECT_TRUE(agent(peer, id).at("typed_ms").is_null());
  peer.ok("pty.write", {{"session", id}, {"data", "word"}, {"enter", true}});
  EXPECT_TRUE(agent(peer, id).at("typed_ms").is_int64());
  EXPECT_TRUE(wait_until([&] {
    return peer.ok("pty.screen", {{"session", id}}).at("data").as_string().find("got word") !=
           json::string::npos;
  }));
}

TEST_F(LoopMethods, ItsReportIsKeptPublishedAndShownBetweenTheRunsAlone) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  peer.ok("events.subscribe", {});
  const auto report = [&](const char* phase, const char* text) {
    peer.ok("loop.report",
            {{"session", id}, {"mode", "pty"}, {"iteration", 1}, {"phase", phase}, {"text", text}});
  };
  iterate(peer, id, 1, "printf half; read go");
  Peer viewer = this->peer("viewer");
  viewer.attach({{"session", id}, {"from", 0}});
  ASSERT_TRUE(viewer.shows("half"));
  report("running", "inside");
  EXPECT_TRUE(peer.heard("event", [](const auto& event) { return event.at("kind") == "loop.changed"; }));
  EXPECT_EQ((json::object{{"mode", "pty"}, {"iteration", 1}, {"phase", "running"}}),
            session(peer, id).at("loop"));
  viewer.type("\r");
  ASSERT_TRUE(becomes(peer, id, "exited", 1));
  EXPECT_EQ("working", session(peer, id).at("state").as_string());
  report("cooling", "between\x1b[2J");
  EXPECT_TRUE(viewer.shows("[between"));
  EXPECT_THAT(viewer.shown(), Not(HasSubstr("inside")));
  EXPECT_THAT(viewer.shown(), Not(HasSubstr("\x1b[2J")));
}

TEST_F(LoopMethods, WhenTheRunnerIsKilledEverythingEnds) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  const std::string stubborn = home_.file("stubborn");
  iterate(peer, id, 1,
          "trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM HUP; echo $$ > " + stubborn +
              "; while :; do sleep 1; done' & while :; do sleep 1; done");
  const pid_t child = pid_in(stubborn);
  const auto program = static_cast<pid_t>(agent(peer, id).at("pid").to_number<int64_t>());
  ASSERT_TRUE(lives(child) && lives(program));
  ASSERT_EQ(0, ::kill(runner(peer, id), SIGKILL));
  EXPECT_TRUE(wait_until([&] { return !lives(child) && !lives(program); }));
  EXPECT_TRUE(wait_until([&] { return !session(peer, id).at("ended_at").is_null(); }));
  EXPECT_EQ(SIGKILL, session(peer, id).at("ptys").at(0).at("signal").to_number<int>());
  EXPECT_EQ("PTY_PROCESS_EXITED", peer.code("loop.iterate", iteration(id, 2, "true")));
}

TEST_F(LoopMethods, ADaemonThatIsKilledChangesNothing) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  iterate(peer, id, 1, "echo one");
  ASSERT_TRUE(becomes(peer, id, "exited", 1));
  const json::object second = iterate(peer, id, 2, "echo two; exec sleep 1000");
  const pid_t old = daemon_pid(peer);
  ASSERT_EQ(0, ::kill(old, SIGKILL));
  wait_for_another(old);
  Peer next = this->peer();
  EXPECT_EQ("running", agent(next, id).at("state").as_string());
  EXPECT_EQ(second, iterate(next, id, 2, "echo never"));
  next.ok("pty.kill", {{"session", id}, {"pty", 1}});
  EXPECT_TRUE(becomes(next, id, "exited", 1));
  iterate(next, id, 3, "echo three; exec sleep 1000");
  EXPECT_TRUE(prints(next, id, "three", 1));
  EXPECT_THAT(output(next, id, 1), Not(HasSubstr("never")));
}

TEST_F(LoopMethods, WithTheDaemonGoneTheKeeperStillEndsWhatTheRunnerLeft) {
  Peer peer = this->peer();
  const std::string id = start_loop(peer);
  iterate(peer, id, 1, "trap '' TERM; while :; do sleep 1; done");
  const auto program = static_cast<pid_t>(agent(peer, id).at("pid").to_number<int64_t>());
  const pid_t leader = runner(peer, id);
  const pid_t old = daemon_pid(peer);
  ASSERT_EQ(0, ::kill(old, SIGKILL));
  ASSERT_EQ(0, ::kill(leader, SIGKILL));
  EXPECT_TRUE(wait_until([&] { return !lives(program); }));
  wait_for_another(old);
  Peer next = this->peer();
  EXPECT_TRUE(wait_until([&] { return !session(next, id).at("ended_at").is_null(); }));
  EXPECT_EQ(SIGKILL, session(next, id).at("ptys").at(0).at("signal").to_number<int>());
}

}  // namespace
}  // namespace host_test
