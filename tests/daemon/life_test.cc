// SPDX-License-Identifier: Apache-2.0
// The daemon's own life: one per home, found again by its sessions, clear about what is wrong, gone when
// idle.
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/unix_socket.h"
#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::HasSubstr;

class Life : public DaemonTest {
 protected:
  void SetUp() override {}

  bool gone(pid_t pid) {
    return support::wait_until([&] {
      ::waitpid(pid, nullptr, WNOHANG);
      return ::kill(pid, 0) != 0;
    });
  }

  // In kB.
  static long private_memory(pid_t pid) {
    std::ifstream lines("/proc/" + std::to_string(pid) + "/smaps_rollup");
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Private_Dirty:")) return std::atol(line.c_str() + sizeof "Private_Dirty:");
    }
    return 0;
  }
};

TEST_F(Life, TwentyCommandsAtOnceStartOneDaemon) {
  std::vector<pid_t> commands;
  std::vector<base::Fd> outputs;
  for (int i = 0; i < 20; i++) {
    outputs.emplace_back(
        ::open(home_.file("out" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    commands.push_back(home_.tend_in_background(
        {"run", "-d", "-n", "job" + std::to_string(i), "--", "sleep", "1000"}, outputs.back().get()));
  }
  for (size_t i = 0; i < commands.size(); i++) {
    int status = -1;
    ::waitpid(commands[i], &status, 0);
    EXPECT_EQ(0, status) << support::read_file(home_.file("out" + std::to_string(i)));
  }
  EXPECT_EQ(1U, home_.running("tend-daemon").size());
  Peer peer = this->peer();
  EXPECT_EQ(20, peer.ok("daemon.status").at("sessions").to_number<int>());
  EXPECT_EQ("busy", home_.start()) << "a second one is not needed";
  EXPECT_EQ(0, home_.tend({"daemon", "stop", "--kill"}).status);
  EXPECT_TRUE(support::wait_until(
      [&] { return home_.running("tend-daemon").empty() && home_.running("tend-keeper").empty(); }));
}

TEST_F(Life, WhatADeadDaemonLeftIsNoObstacle) {
  for (const char* each : {"run", "state"}) {
    std::filesystem::create_directories(home_.file(each));
    std::filesystem::permissions(home_.file(each), std::filesystem::perms::owner_all);
  }
  // A socket that nobody listens at, and a lock file with somebody's number.
  {
    auto stale = base::listen_at(home_.socket());
    ASSERT_TRUE(stale);
  }
  support::write_file(home_.file("state/daemon.lock"), "1\n");
  EXPECT_EQ("ok", home_.start());
  Peer peer = this->peer();
  EXPECT_EQ(std::to_string(daemon_pid(peer)) + "\n", support::read_file(home_.file("state/daemon.lock")));
}

// Whoever removes it, a second daemon would write the same store and know nothing of the first one's
// sessions.
TEST_F(Life, ASocketThatWasRemovedMakesNoSecondDaemon) {
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  const std::string id = run(peer, "cat");
  std::filesystem::remove_all(home_.file("run"));
  const auto ran = home_.tend({"ls"});
  EXPECT_EQ(4, ran.status);
  EXPECT_THAT(ran.output, HasSubstr("process " + std::to_string(daemon_pid(peer)) + ", "));
  EXPECT_THAT(ran.output, HasSubstr(home_.file("state/daemon.lock")));
  EXPECT_EQ(4, home_.tend({"daemon", "status"}).status);
  EXPECT_EQ(4, home_.tend({"daemon", "stop"}).status) << "it does not say that none is running";
  EXPECT_EQ(1U, home_.running("tend-daemon").size());
  EXPECT_EQ("running", session(peer, id).at_pointer("/ptys/0/state").as_string());
}

TEST_F(Life, ABadHomeIsSaidClearly) {
  support::write_file(home_.file("state"), "in the way");
  const auto ran = home_.tend({"run", "-d", "--", "true"});
  EXPECT_NE(0, ran.status);
  EXPECT_THAT(ran.output, HasSubstr(home_.file("state")));
  EXPECT_EQ(1U, count_of(ran.output, "\n")) << ran.output;
  std::filesystem::remove(home_.file("state"));
  std::filesystem::create_directories(home_.file("run"));
  std::filesystem::permissions(home_.file("run"), std::filesystem::perms::all);
  const auto open = home_.tend({"run", "-d", "--", "true"});
  EXPECT_NE(0, open.status);
  EXPECT_THAT(open.output, HasSubstr("chmod 700"));
}

TEST_F(Life, SigtermLeavesSessionsToTheirKeepers) {
  ASSERT_EQ("ok", home_.start());
  std::string id;
  uint64_t end = 0;
  pid_t first = 0;
  int agent = 0;
  {
    Peer peer = this->peer();
    first = daemon_pid(peer);
    id = run(peer, "printf '\\033[?1049hfull screen'; read a; echo heard; read b; exit 9",
             {{"name", "stays"}});
    ASSERT_TRUE(prints(peer, id, "full screen"));
    end = session(peer, id).at_pointer("/ptys/0/output/end").to_number<uint64_t>();
    agent = session(peer, id).at_pointer("/ptys/0/pid").to_number<int>();
  }
  ASSERT_EQ(0, ::kill(first, SIGTERM));
  ASSERT_TRUE(gone(first));
  EXPECT_FALSE(std::filesystem::exists(home_.socket()));
  EXPECT_EQ(1U, home_.running("tend-keeper").size()) << "the spare one is still there";
  // The next command finds it.
  EXPECT_EQ(0, home_.tend({"daemon", "run", "--help"}).status);
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  const json::value again = session(peer, "stays");
  EXPECT_EQ(id, std::string(again.at("id").as_string()));
  EXPECT_EQ(agent, again.at_pointer("/ptys/0/pid").to_number<int>());
  EXPECT_EQ(end, again.at_pointer("/ptys/0/output/end").to_number<uint64_t>());
  const json::value screen = peer.ok("pty.screen", {{"session", id}});
  EXPECT_THAT(std::string(screen.at("data").as_string()), HasSubstr("full screen"));
  EXPECT_TRUE(screen.at("alternate").as_bool());
  peer.ok("pty.write", {{"session", id}, {"data", "\r\r"}});
  ASSERT_TRUE(becomes(peer, id, "dead"));
  EXPECT_EQ(9, session(peer, id).at_pointer("/ptys/0/exit_code").to_number<int>());
}

TEST_F(Life, ADaemonThatStopsChangesNoSizeAndAnswersNobodyTwice) {
  ASSERT_EQ("ok", home_.start());
  Peer one = this->peer();
  Peer two = this->peer();
  const std::string id = run(one, "trap 'echo resized' WINCH; while :; do read a; done");
  one.attach({{"session", id}, {"cols", 80}, {"rows", 20}});
  two.attach({{"session", id}, {"cols", 100}, {"rows", 30}});
  const uint64_t waiting = two.client().send("pty.wait", {{"session", id}, {"until", "exited"}});
  const pid_t first = daemon_pid(two);
  ASSERT_EQ(0, ::kill(first, SIGTERM));
  EXPECT_FALSE(two.answer(waiting)) << "the connection ends instead";
  ASSERT_TRUE(gone(first));
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  EXPECT_EQ(80, session(peer, id).at("cols").to_number<int>());
  EXPECT_EQ(20, session(peer, id).at("rows").to_number<int>());
}

TEST_F(Life, AKilledDaemonIsReplacedByItsKeepersAndNothingIsLost) {
  ASSERT_EQ("ok", home_.start());
  std::string id;
  std::string over;
  pid_t first = 0;
  {
    Peer peer = this->peer();
    first = daemon_pid(peer);
    id = run(peer, "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; read a; exit 5");
    over = run(peer, "echo last words; exit 6");
    ASSERT_TRUE(becomes(peer, over, "dead"));
    // In the middle of the output.
    ASSERT_TRUE(prints(peer, id, "line 10"));
  }
  ASSERT_EQ(0, ::kill(first, SIGKILL));
  wait_for_another(first);
  Peer peer = this->peer();
  ASSERT_TRUE(prints(peer, id, "line 3000"));
  const std::string all = output(peer, id);
  for (int i = 1; i <= 3000; i++) ASSERT_EQ(1U, count_of(all, "line " + std::to_string(i) + "\r")) << i;
  EXPECT_THAT(std::string(peer.ok("pty.screen", {{"session", id}}).at("data").as_string()),
              HasSubstr("line 3000\n"));
  EXPECT_EQ(6, session(peer, over).at_pointer("/ptys/0/exit_code").to_number<int>());
  EXPECT_THAT(output(peer, over), HasSubstr("last words"));
  EXPECT_THAT(std::string(peer.ok("pty.screen", {{"session", over}}).at("data").as_string()),
              HasSubstr("[process exited (code 6)]"));
  peer.ok("pty.write", {{"session", id}, {"data", "\r"}});
  ASSERT_TRUE(becomes(peer, id, "dead"));
  EXPECT_EQ(5, session(peer, id).at_pointer("/ptys/0/exit_code").to_number<int>());
  EXPECT_TRUE(peer.ok("audit.verify").at("ok").as_bool());
}

TEST_F(Life, AProgramThatEndsWhileThereIsNoDaemonIsReportedOnce) {
  ASSERT_EQ("ok", home_.start());
  std::string id;
  pid_t first = 0;
  {
    Peer peer = this->peer();
    first = daemon_pid(peer);
    id = run(peer, "read a; echo gone; exit 8");
    ASSERT_TRUE(becomes(peer, id, "running"));
    ASSERT_EQ(0, ::kill(first, SIGSTOP));
    peer.client().send("pty.write", {{"session", id}, {"data", "\r"}});
    (void)peer.client().flush();
  }
  ASSERT_EQ(0, ::kill(first, SIGCONT));
  ASSERT_EQ(0, ::kill(first, SIGKILL));
  wait_for_another(first);
  Peer peer = this->peer();
  // Whether the key got through before the kill, it ends now.
  if (session(peer, id).at_pointer("/ptys/0/state").as_string() == "running")
    (void)peer.code("pty.write", {{"session", id}, {"data", "\r"}});
  ASSERT_TRUE(becomes(peer, id, "dead"));
  const std::string screen(peer.ok("pty.screen", {{"session", id}}).at("data").as_string());
  EXPECT_EQ(1U, count_of(screen, "[process exited (code 8)]")) << screen;
}

TEST_F(Life, StopWithKillEndsTheSessionsAndKeepsHowTheyEnded) {
  ASSERT_EQ("ok", home_.start());
  std::string id;
  {
    Peer peer = this->peer();
    id = run(peer, "echo here; exec cat");
    ASSERT_TRUE(prints(peer, id, "here"));
  }
  const auto stopped = home_.tend({"daemon", "stop", "--kill"});
  EXPECT_EQ(0, stopped.status) << stopped.output;
  EXPECT_TRUE(support::wait_until(
      [&] { return home_.running("tend-daemon").empty() && home_.running("tend-keeper").empty(); }));
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  EXPECT_EQ("dead", std::string(session(peer, id).at_pointer("/ptys/0/state").as_string()));
  const json::value signal = session(peer, id).at_pointer("/ptys/0/signal");
  ASSERT_TRUE(signal.is_number()) << json::serialize(session(peer, id));
  EXPECT_EQ(128 + signal.to_number<int>(),
            session(peer, id).at_pointer("/ptys/0/exit_code").to_number<int>());
  EXPECT_THAT(output(peer, id), HasSubstr("here"));
}

TEST_F(Life, SessionsThatHaveEndedTakeMemoryOnlyWhenTheyAreLookedAt) {
  ASSERT_EQ("ok", home_.start());
  std::vector<std::string> ids;
  {
    Peer peer = this->peer();
    for (int i = 0; i < 8; i++) {
      ids.push_back(run(peer, "printf '\\033]0;the title\\007'; seq -f '%070.0f' 9000"));
      ASSERT_TRUE(becomes(peer, ids.back(), "dead"));
    }
  }
  EXPECT_EQ(0, home_.tend({"daemon", "stop"}).status);
  ASSERT_TRUE(support::wait_until([&] { return home_.running("tend-daemon").empty(); }));
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  const long before = private_memory(daemon_pid(peer));
  const json::value list = peer.ok("session.list", {});
  ASSERT_EQ(ids.size(), list.at("sessions").as_array().size());
  EXPECT_EQ("the title", list.at_pointer("/sessions/0/ptys/0/title").as_string());
  const long listed = private_memory(daemon_pid(peer));
  for (const std::string& id : ids) {
    const std::string text(
        peer.ok("pty.screen", {{"session", id}, {"scrollback", 8000}}).at("data").as_string());
    EXPECT_THAT(text, HasSubstr("0002000\n"));
    EXPECT_THAT(text, HasSubstr("0009000\n"));
  }
  const long looked_at = private_memory(daemon_pid(peer));
  EXPECT_LT((listed - before) * 4, looked_at - before) << before << " kB";
}

TEST_F(Life, LeavesWhenItHasNothingToDo) {
  ASSERT_EQ("ok", home_.start({.arguments = {"--idle-seconds", "1"}}));
  const auto daemons = home_.running("tend-daemon");
  ASSERT_EQ(1U, daemons.size());
  EXPECT_TRUE(gone(daemons[0]));
  EXPECT_FALSE(std::filesystem::exists(home_.socket()));
}

TEST_F(Life, StaysWhileThereIsAClientOrASession) {
  ASSERT_EQ("ok", home_.start({.arguments = {"--idle-seconds", "1"}}));
  std::optional<Peer> peer;
  // On a slow machine it may be leaving just now; then another one comes.
  ASSERT_TRUE(support::wait_until([&] {
    auto client = wire::Client::connect(home_.socket(), {.agent = "tester", .channel = "test"});
    if (client && client->call("daemon.status", {}, std::chrono::seconds(10)))
      peer.emplace(std::move(*client));
    if (!peer) home_.start({.arguments = {"--idle-seconds", "1"}});
    return peer.has_value();
  }));
  const pid_t pid = daemon_pid(*peer);
  const std::string id = run(*peer, "read a; exit 1");
  peer.reset();
  peer.emplace(this->peer());
  EXPECT_EQ(pid, daemon_pid(*peer));
  peer->ok("session.kill", {{"session", id}});
  EXPECT_EQ(pid, daemon_pid(*peer));
  peer.reset();
  EXPECT_TRUE(gone(pid));
}

TEST_F(Life, IsQuietWithIdleSessions) {
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  for (int i = 0; i < 5; i++) run(peer, "cat");
  const pid_t pid = daemon_pid(peer);
  const auto wakeups = [&] {
    long sum = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
#ifdef __SANITIZE_THREAD__
      // The sanitizer has a thread that wakes up by itself; only the first is surely the daemon's own.
      if (task.path().filename() != std::to_string(pid)) continue;
#endif
      const std::string status = support::read_file(task.path() / "status");
      for (const char* name : {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"})
        sum += std::stol(status.substr(status.find(name) + std::string_view(name).size()));
    }
    return sum;
  };
  // What was gathered for the audit, and the store's own work, is over after some seconds; then nothing
  // moves.
  EXPECT_TRUE(support::wait_until([&] {
    const long before = wakeups();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    support::wait_until([&] { return std::chrono::steady_clock::now() > end; });
    return wakeups() == before;
  }));
}

TEST_F(Life, AFullDiskIsDegradedAndNothingThatWasThereIsLost) {
  // A file system of 4 MiB for the state, in a mount namespace of this process's own child, in which all
  // happens.
  const pid_t child = ::fork();
  if (child == 0) {
    // Without the right to mount there is nothing to see here.
    if (::unshare(CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0) ::_exit(0);
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    std::filesystem::create_directories(home_.file("state"));
    if (::mount("none", home_.file("state").c_str(), "tmpfs", 0, "size=4m,mode=0700") != 0) ::_exit(0);
    EXPECT_EQ("ok", home_.start());
    {
      Peer peer = this->peer();
      const std::string id = run(peer, "cat");
      // The disk is filled by the journals of more sessions.
      std::string code;
      for (int i = 0; i < 10 && code.empty(); i++)
        code = peer.code("session.create", {{"command", json::array{"cat"}}});
      EXPECT_EQ("PTY_SPAWN_FAILED", code);
      support::write_file(home_.file("state/fill"), std::string(4 << 20, 'x'));
      for (int i = 0; i < 200; i++)
        (void)peer.code("pty.resize", {{"session", id}, {"cols", 20 + i % 9}, {"rows", 10}});
      peer.ok("pty.write", {{"session", id}, {"data", "works on\r"}});
      EXPECT_TRUE(prints(peer, id, "works on"));
      EXPECT_TRUE(
          support::wait_until([&] { return !peer.ok("daemon.status").at("degraded").as_array().empty(); }));
      // Room again: it recovers by itself.
      std::filesystem::remove(home_.file("state/fill"));
      EXPECT_TRUE(support::wait_until([&] {
        (void)peer.code("pty.resize", {{"session", id}, {"cols", 33}, {"rows", 10}});
        return peer.ok("daemon.status").at("degraded").as_array().empty();
      }));
      const json::value report = peer.ok("audit.verify");
      EXPECT_TRUE(report.at("ok").as_bool()) << json::serialize(report);
      peer.ok("daemon.shutdown", {{"kill", true}});
    }
    ::_exit(!testing::Test::HasFailure() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  EXPECT_EQ(0, status);
}

}  // namespace
}  // namespace host_test
