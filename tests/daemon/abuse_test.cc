// SPDX-License-Identifier: Apache-2.0
// Whatever comes over its socket, the daemon goes on, and has no more descriptors afterwards than before.
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <random>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unix_socket.h"
#include "daemon_fixture.h"
#include "wire/frame.h"

namespace host_test {
namespace {

class AbusedDaemon : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    Peer first = peer();
    pid_ = daemon_pid(first);
    EXPECT_TRUE(support::wait_until([&] {
      const size_t now = descriptors(pid_);
      return std::exchange(before_, now) == now;
    }));
    before_ = descriptors(pid_) - 1;
  }

  base::Fd connect() const {
    base::Fd socket;
    EXPECT_TRUE(support::wait_until([&] {
      auto connected = base::connect_to(home_.socket());
      if (connected) socket = std::move(*connected);
      return connected || connected.error().sys != EAGAIN;
    }));
    EXPECT_TRUE(socket);
    return socket;
  }
  static void shout(const base::Fd& socket, std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = base::send_some(socket.get(), bytes, {});
      if (!sent || *sent == 0) return;
      bytes.remove_prefix(*sent);
    }
  }
  static std::string frame(std::string_view text) { return wire::make_frame(wire::FrameType::json, text); }
  static std::string hello() {
    return frame(R"({"jsonrpc":"2.0","id":0,"method":"hello","params":{"version":1}})");
  }
  // All that comes until the daemon closes the connection; "" at the deadline.
  static std::string to_the_end(const base::Fd& socket) {
    std::string all;
    bool closed = false;
    support::wait_until([&] {
      char buffer[4096];
      const auto received = base::receive_some(socket.get(), buffer);
      if (received) all.append(buffer, received->count);
      closed = !received || received->closed;
      return closed;
    });
    return closed ? all : "";
  }

  pid_t pid_ = 0;
  size_t before_ = 0;
};

TEST_F(AbusedDaemon, RefusesAMessageOfMoreThanAMegabyte) {
  for (const bool greeted : {false, true}) {
    const base::Fd socket = connect();
    if (greeted) shout(socket, hello());
    shout(socket, std::string("\x00\x10\x00\x01\x01", 5));
    EXPECT_THAT(to_the_end(socket), testing::HasSubstr("MESSAGE_TOO_LARGE"));
  }
  // One of exactly a megabyte is only wrong.
  Peer peer = this->peer();
  peer.client().notify("none", {{"x", std::string(wire::kMostPayload - 200, 'x')}});
  peer.ok("daemon.status");
  expect_healthy(before_ + 1);
}

TEST_F(AbusedDaemon, RefusesWhateverIsNotAGreetingFirst) {
  const std::string first[] = {frame(R"({"jsonrpc":"2.0","id":1,"method":"daemon.status"})"),
                               frame("{}"),
                               frame("nonsense"),
                               frame("[]"),
                               frame(R"({"jsonrpc":"2.0","id":1,"method":"hello"})"),
                               frame(R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{"version":"1"}})"),
                               wire::make_frame(wire::FrameType::bytes, "keys"),
                               std::string("\0\0\0\1\7x", 6),
                               "GET / HTTP/1.1\r\n\r\n"};
  for (const std::string& each : first) {
    const base::Fd socket = connect();
    shout(socket, each);
    EXPECT_THAT(to_the_end(socket), testing::HasSubstr("\"error\"")) << each.substr(5);
  }
  expect_healthy(before_);
}

TEST_F(AbusedDaemon, TellsAnotherVersionSo) {
  const base::Fd socket = connect();
  shout(socket, frame(R"({"jsonrpc":"2.0","id":9,"method":"hello","params":{"version":2}})"));
  const std::string answer = to_the_end(socket);
  EXPECT_THAT(answer, testing::HasSubstr("VERSION_MISMATCH"));
  EXPECT_THAT(answer, testing::HasSubstr("tend daemon stop")) << "and what to do";
}

TEST_F(AbusedDaemon, SurvivesGarbage) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; round++) {
    const base::Fd socket = connect();
    if (round % 2 == 0) shout(socket, hello());
    std::string bytes(random() % 5000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (round % 3 == 0) bytes = frame(bytes);
    shout(socket, bytes);
  }
  expect_healthy(before_);
}

TEST_F(AbusedDaemon, GoesOnAfterNonsenseInsideMessages) {
  Peer peer = this->peer();
  wire::Client& client = peer.client();
  const std::string id = run(peer, "cat");
  std::mt19937 random(4);
  const char* methods[] = {"pty.read",       "pty.attach", "pty.ready",  "pty.window",      "pty.resync",
                           "session.create", "pty.write",  "audit.show", "events.subscribe"};
  const json::value values[] = {nullptr,
                                5,
                                -1,
                                1e300,
                                "x",
                                json::value(json::string(id)),
                                json::array{},
                                json::array{1},
                                json::object{},
                                true,
                                std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<uint64_t>::max(),
                                "\xEF\xBF\xBF"};
  const char* names[] = {"session", "pty",   "offset", "cols",    "rows", "data",
                         "keys",    "after", "from",   "command", "since"};
  for (int i = 0; i < 2000; i++) {
    json::object params;
    for (int j = 0; j < 3; j++)
      params[names[random() % std::size(names)]] = values[random() % std::size(values)];
    client.send(methods[random() % std::size(methods)], params);
    if (i % 100 == 0) peer.ok("daemon.status");
  }
  peer.ok("daemon.status");
}

TEST_F(AbusedDaemon, SurvivesHalfMessagesThatAreHeldOpen) {
  std::vector<base::Fd> open;
  for (int i = 0; i < 100; i++) {
    open.push_back(connect());
    shout(open.back(), hello() + std::string("\x00\x00\x10\x00\x01", 5) + "{\"half\":");
  }
  Peer peer = this->peer();
  EXPECT_EQ(101, peer.ok("daemon.status").at("clients").to_number<int>());
  open.clear();
  expect_healthy(before_ + 1);
}

TEST_F(AbusedDaemon, SurvivesTenThousandConnects) {
  for (int i = 0; i < 10'000; i++) connect();
  expect_healthy(before_);
}

TEST_F(AbusedDaemon, ServesAThousandOpenConnections) {
  std::vector<base::Fd> open;
  for (int i = 0; i < 1000; i++) {
    open.push_back(connect());
    shout(open.back(), hello());
  }
  Peer peer = this->peer();
  EXPECT_EQ(1001, peer.ok("daemon.status").at("clients").to_number<int>());
  const std::string id = run(peer, "echo works; cat");
  EXPECT_TRUE(prints(peer, id, "works"));
  peer.ok("session.kill", {{"session", id}});
  open.clear();
  EXPECT_TRUE(
      support::wait_until([&] { return peer.ok("daemon.status").at("clients").to_number<int>() == 1; }));
}

TEST_F(AbusedDaemon, AClientThatAsksAndNeverReadsIsHeldUpAndNobodyElse) {
  Peer peer = this->peer();
  const std::string id = run(peer, "head -c 1000000 /dev/zero | tr '\\0' x; cat");
  const base::Fd socket = connect();
  shout(socket, hello());
  const std::string ask =
      frame("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pty.read\",\"params\":{\"session\":\"" + id +
            "\",\"since\":0}}");
  for (int i = 0; i < 5000; i++) shout(socket, ask);
  peer.ok("daemon.status");
  const std::string pages = support::read_file("/proc/" + std::to_string(pid_) + "/statm");
  const long resident = std::stol(pages.substr(pages.find(' ')));
  EXPECT_LT(resident * ::sysconf(_SC_PAGESIZE), 256L << 20);
}

TEST_F(AbusedDaemon, TheSocketIsPrivate) {
  struct stat about{};
  ASSERT_EQ(0, ::stat(home_.socket().c_str(), &about));
  EXPECT_EQ(0600U, about.st_mode & 07777);
  ASSERT_EQ(0, ::stat(home_.file("run").c_str(), &about));
  EXPECT_EQ(0700U, about.st_mode & 07777);
}

TEST_F(AbusedDaemon, AnotherUserIsRefusedAndLeavesARow) {
  if (::geteuid() != 0) {
    // Without root there is no other user to be; that the folder keeps them out is all there is to see.
    struct stat about{};
    ASSERT_EQ(0, ::stat(home_.file("run").c_str(), &about));
    EXPECT_EQ(0U, about.st_mode & 077);
    return;
  }
  // In through the folders, which would keep it out: the socket itself must refuse too.
  ASSERT_EQ(0, ::chmod(home_.path().c_str(), 0755));
  ASSERT_EQ(0, ::chmod(home_.file("run").c_str(), 0755));
  ASSERT_EQ(0, ::chmod(home_.socket().c_str(), 0666));
  const pid_t child = ::fork();
  if (child == 0) {
    const bool changed = ::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0;
    auto socket = base::connect_to(home_.socket());
    ::_exit(changed && socket && to_the_end(*socket).find("PTY_ACCESS_DENIED") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  EXPECT_EQ(0, status);
  Peer peer = this->peer();
  const json::array rows = peer.ok("audit.show", {{"action", "refused"}}).as_array();
  ASSERT_EQ(1U, rows.size());
  EXPECT_EQ("uid:65534 pid:" + std::to_string(child), std::string(rows.at(0).at("agent").as_string()));
  EXPECT_EQ("PTY_ACCESS_DENIED", std::string(rows.at(0).at("result").as_string()));
  expect_healthy(before_ + 1);
}

TEST_F(AbusedDaemon, AClientThatIsGoneBeforeItIsLetInWasNotRefused) {
  ASSERT_EQ(0, ::kill(pid_, SIGSTOP));
  for (int i = 0; i < 5; i++) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto socket = base::connect_to(home_.socket());
      ::_exit(socket ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
  }
  ASSERT_EQ(0, ::kill(pid_, SIGCONT));
  Peer peer = this->peer();
  EXPECT_TRUE(peer.ok("audit.show", {{"action", "refused"}}).as_array().empty());
  expect_healthy(before_ + 1);
}

class FewDescriptors : public DaemonTest {
 protected:
  void SetUp() override { ASSERT_EQ("ok", home_.start({.descriptors = 64})); }
};

TEST_F(FewDescriptors, AreADegradedDaemonAndNotADeadOne) {
  Peer peer = this->peer();
  const std::string id = run(peer, "cat");
  const pid_t pid = daemon_pid(peer);
  {
    std::vector<base::Fd> open;
    for (int i = 0; i < 100; i++) {
      auto socket = base::connect_to(home_.socket());
      if (socket) open.push_back(std::move(*socket));
    }
    EXPECT_TRUE(
        support::wait_until([&] { return !peer.ok("daemon.status").at("degraded").as_array().empty(); }));
    // Nothing can be started, and what runs goes on.
    EXPECT_NE("", peer.code("session.create", {{"command", json::array{"cat"}}}));
    peer.ok("pty.write", {{"session", id}, {"data", "still here\r"}});
    EXPECT_TRUE(prints(peer, id, "still here"));
  }
  EXPECT_TRUE(
      support::wait_until([&] { return peer.ok("daemon.status").at("degraded").as_array().empty(); }));
  EXPECT_TRUE(
      support::wait_until([&] { return peer.ok("daemon.status").at("clients").to_number<int>() == 1; }));
  const std::string again = run(peer, "echo back; cat");
  EXPECT_TRUE(prints(peer, again, "back"));
  EXPECT_EQ(pid, daemon_pid(peer));
}

TEST_F(FewDescriptors, SessionsUntilThereAreNoneLeft) {
  Peer peer = this->peer();
  std::vector<std::string> ids;
  std::string code;
  std::string why;
  while (code.empty() && ids.size() < 64) {
    auto made = peer.client().call("session.create", {{"command", json::array{"cat"}}}, support::kDeadline);
    if (made)
      ids.emplace_back(made->at("id").as_string());
    else
      code = base::code_name(made.error().code), why = made.error().message();
  }
  EXPECT_EQ("PTY_SPAWN_FAILED", code) << why;
  ASSERT_GE(ids.size(), 5U);
  std::string shell;
  while (shell.empty()) shell = peer.code("pty.spawn", {{"session", ids[0]}});
  EXPECT_EQ("PTY_SPAWN_FAILED", shell) << "in a session that is there";
  // All that could start are whole.
  for (const std::string& id : ids) {
    peer.ok("pty.write", {{"session", id}, {"data", "hello\r"}});
    EXPECT_TRUE(prints(peer, id, "hello"));
  }
  for (const std::string& id : ids) peer.ok("session.kill", {{"session", id}, {"force", true}});
  EXPECT_TRUE(support::wait_until([&] { return home_.keepers().empty(); }));
  EXPECT_TRUE(prints(peer, run(peer, "echo again; cat"), "again"));
}

// A terminal is lent with descriptors: with none, with too few, with others.
TEST_F(AbusedDaemon, ALoanThatIsNoneIsRefusedAndTheClientGoesOn) {
  Peer peer = this->peer();
  EXPECT_EQ(peer.code("pty.lend"), "PTY_SESSION_NOT_FOUND");
  const std::string id = run(peer, "while read line; do echo \"<$line>\"; done");
  peer.attach({{"session", id}});
  EXPECT_EQ(peer.code("pty.lend"), "INVALID_PARAM");
  const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const size_t count : {1, 3, 4}) {
    const std::vector<int> all(count, null.get());
    ASSERT_TRUE(peer.client().send_with("pty.lend", {}, all));
    ASSERT_TRUE(peer.client().flush());
  }
  // As if it were lent all the same.
  peer.client().notify("pty.ready", {{"offset", 0}, {"round", 1}, {"heard", 1}});
  peer.type("still here\r");
  EXPECT_TRUE(peer.shows("<still here>"));
}

}  // namespace
}  // namespace host_test
