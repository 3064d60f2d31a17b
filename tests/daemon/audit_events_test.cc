// SPDX-License-Identifier: Apache-2.0
// What is left behind: rows of the audit for everything that was done, and events for whoever follows.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::HasSubstr;

class Audit : public DaemonTest {
 protected:
  // Rows of one action; they are gathered for a while, so this waits until there are as many.
  json::array rows(Peer& peer, const std::string& action, size_t least = 1) {
    json::array found;
    EXPECT_TRUE(support::wait_until([&] {
      found = peer.ok("audit.show", {{"action", action}, {"limit", 1000}}).as_array();
      return found.size() >= least;
    })) << action;
    return found;
  }
};

TEST_F(Audit, HasARowForEachOperation) {
  Peer peer = this->peer("alice");
  const std::string id = run(peer, "cat", {{"name", "watched"}});
  peer.ok("pty.write", {{"session", "watched"}, {"data", "rm -rf\r"}});
  peer.ok("pty.resize", {{"session", id}, {"cols", 50}, {"rows", 10}});
  peer.ok("pty.spawn", {{"session", id}, {"command", json::array{"sh", "-c", "echo 'a b'"}}});
  peer.ok("pty.wait", {{"session", id}, {"pty", 1}, {"until", "exited"}});
  peer.attach({{"session", id}});
  peer.ok("pty.detach");
  peer.ok("session.restart", {{"session", id}});
  peer.ok("session.kill", {{"session", id}});
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.write", {{"session", "nobody"}, {"data", "x"}}));
  for (const char* action : {"write", "resize", "wait", "attach", "detach", "restart", "kill"}) {
    const json::value row = rows(peer, action).at(0);
    EXPECT_EQ(id, std::string(row.at("session").as_string())) << action;
    EXPECT_EQ("alice", std::string(row.at("agent").as_string())) << action;
    EXPECT_EQ("test", std::string(row.at("channel").as_string())) << action;
    EXPECT_EQ("ok", std::string(row.at("result").as_string())) << action;
  }
  const json::array spawned = rows(peer, "spawn", 2);
  EXPECT_EQ("/bin/sh -c cat", std::string(spawned.at(0).at("command").as_string()));
  EXPECT_EQ("sh -c 'echo '\\''a b'\\'''", std::string(spawned.at(1).at("command").as_string()));
  EXPECT_EQ(1, spawned.at(1).at("pty").to_number<int>());
  const json::array written = rows(peer, "write", 2);
  EXPECT_EQ("cm0gLXJmDQ==", std::string(written.at(0).at("bytes").as_string()));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", std::string(written.at(1).at("result").as_string()));
}

TEST_F(Audit, GathersReadsAndNamesTheAgentOfARequest) {
  Peer peer = this->peer("alice");
  const std::string id = run(peer, "cat");
  for (int i = 0; i < 50; i++) peer.ok("pty.read", {{"session", id}, {"agent_id", "bob"}});
  int64_t count = 0;
  ASSERT_TRUE(support::wait_until([&] {
    count = 0;
    const json::value read = peer.ok("audit.show", {{"action", "read"}, {"agent", "bob"}});
    for (const json::value& row : read.as_array()) count += row.at("count").to_number<int64_t>();
    return count == 50;
  }));
  EXPECT_LT(rows(peer, "read").size(), 10U);
}

TEST_F(Audit, HasWhatWasDoneAMomentAgo) {
  Peer peer = this->peer("alice");
  const std::string id = run(peer, "cat");
  peer.attach({{"session", id}});
  for (const char* method : {"audit.show", "audit.export"}) {
    const auto count = [&](const char* action) {
      int64_t sum = 0;
      const json::value all = peer.ok(method, {{"action", action}, {"limit", 1000}});
      for (const json::value& row : all.as_array()) sum += row.at("count").to_number<int64_t>();
      return sum;
    };
    const int64_t reads = count("read");
    const int64_t keys = count("keys");
    for (int i = 0; i < 3; i++) {
      peer.ok("pty.read", {{"session", id}});
      peer.type("key");
      EXPECT_EQ(reads + i + 1, count("read")) << method;
      EXPECT_EQ(keys + 3 * (i + 1), count("keys")) << method;
    }
  }
  const int64_t before = peer.ok("audit.verify").at("last_seq").to_number<int64_t>();
  peer.ok("pty.read", {{"session", id}});
  EXPECT_EQ(before + 1, peer.ok("audit.verify").at("last_seq").to_number<int64_t>());
}

TEST_F(Audit, CountsKeysAndKeepsThemOnlyWhereThatIsSet) {
  Peer peer = this->peer();
  const std::string plain = run(peer, "cat", {{"name", "plain"}});
  const std::string recorded =
      run(peer, "cat", {{"name", "recorded"}, {"settings", "audit: {keystrokes: true}"}});
  for (const std::string& id : {plain, recorded}) {
    peer.attach({{"session", id}});
    peer.type("secret");
    peer.type("word");
    ASSERT_TRUE(peer.shows("secretword"));
    peer.ok("pty.detach");
  }
  const json::array keys = rows(peer, "keys", 2);
  ASSERT_EQ(2U, keys.size());
  EXPECT_EQ(10, keys.at(0).at("count").to_number<int>());
  EXPECT_TRUE(keys.at(0).at("bytes").is_null());
  EXPECT_EQ(10, keys.at(1).at("count").to_number<int>());
  EXPECT_EQ("c2VjcmV0d29yZA==", std::string(keys.at(1).at("bytes").as_string()));
}

TEST_F(Audit, CanBeVerified) {
  Peer peer = this->peer();
  run(peer, "cat");
  for (int i = 0; i < 30; i++) peer.ok("pty.list");
  const json::value head = peer.ok("audit.head");
  const json::value report =
      peer.ok("audit.verify", {{"anchor_seq", head.at("seq")}, {"anchor_hash", head.at("hash")}});
  EXPECT_TRUE(report.at("ok").as_bool()) << json::serialize(report);
  EXPECT_GE(report.at("rows").to_number<int>(), 2);
  const json::value wrong =
      peer.ok("audit.verify", {{"anchor_seq", head.at("seq")}, {"anchor_hash", std::string(64, '0')}});
  EXPECT_FALSE(wrong.at("ok").as_bool());
}

TEST_F(Audit, SurvivesNamesThatAreCutInTheMiddleOfACharacter) {
  std::string name;
  while (name.size() < 300) name += "€";
  Peer peer = this->peer(name);
  peer.ok("pty.list", {{"agent_id", name}});
  peer.ok("session.list");
  run(peer, "cat");
  const json::value row = rows(peer, "spawn").at(0);
  EXPECT_EQ(name.substr(0, 198), std::string(row.at("agent").as_string()));
  EXPECT_TRUE(rows(peer, "list").at(0).at("agent").as_string().size() <= 200);
}

using Events = DaemonTest;

TEST_F(Events, AreNumberedAndCanBeTakenUpAgain) {
  Peer follower = this->peer();
  Peer peer = this->peer();
  const json::value from = follower.ok("events.subscribe");
  EXPECT_EQ(0, from.at("missed").to_number<int>());
  const std::string id = run(peer, "exit 6", {{"name", "short"}});
  std::vector<std::string> kinds;
  uint64_t last = from.at("after").to_number<uint64_t>();
  uint64_t second = 0;
  while (kinds.empty() || kinds.back() != "session.ended") {
    const auto event = follower.heard("event");
    ASSERT_TRUE(event);
    EXPECT_EQ(last + 1, event->at("number").to_number<uint64_t>());
    last = event->at("number").to_number<uint64_t>();
    // What the program is about is looked at meanwhile, sooner or later.
    if (event->at("kind") == "pty.state" || event->at("kind").as_string().starts_with("prompt.")) continue;
    if (kinds.size() == 1) second = last;
    EXPECT_EQ(id, std::string(event->at("session").as_string()));
    EXPECT_EQ("short", std::string(event->at("name").as_string()));
    kinds.emplace_back(event->at("kind").as_string());
  }
  EXPECT_THAT(kinds, testing::ElementsAre("pty.started", "session.created", "pty.exited", "pty.dead",
                                          "session.ended"));
  Peer again = this->peer();
  EXPECT_EQ(second, again.ok("events.subscribe", {{"after", second}}).at("after").to_number<uint64_t>());
  for (uint64_t number = second + 1; number <= last; number++) {
    const auto event = again.heard("event");
    ASSERT_TRUE(event);
    EXPECT_EQ(number, event->at("number").to_number<uint64_t>());
  }
}

TEST_F(Events, ThatAreGoneAreCounted) {
  Peer peer = this->peer();
  const uint64_t start = peer.ok("events.subscribe").at("after").to_number<uint64_t>();
  // A program whose state does not change.
  const std::string id = run(peer, "exec sleep 1000");
  for (int i = 0; i < 1100; i++) {
    peer.client().notify("pty.resize", {{"session", id}, {"cols", 10 + i % 7}, {"rows", 10}});
    // No more than 1,000 may be under way; this is answered when all before it are on the disk.
    if (i % 500 == 0) peer.ok("audit.head");
  }
  peer.ok("daemon.status");
  Peer late = this->peer();
  const json::value from = late.ok("events.subscribe", {{"after", start}});
  EXPECT_EQ(102, from.at("missed").to_number<int>());
  EXPECT_FALSE(from.at("replaced").as_bool());
  const auto first = late.heard("event");
  ASSERT_TRUE(first);
  EXPECT_EQ(start + 103, first->at("number").to_number<uint64_t>());
}

TEST_F(Events, OfAnotherDaemonAreNotCounted) {
  std::string epoch;
  uint64_t last = 0;
  {
    Peer peer = this->peer();
    run(peer, "cat");
    const json::value from = peer.ok("events.subscribe");
    EXPECT_FALSE(from.at("replaced").as_bool());
    last = from.at("after").to_number<uint64_t>();
    epoch = json::serialize(from.at("epoch"));
    EXPECT_EQ(epoch, json::serialize(peer.ok("events.subscribe", {{"after", last}}).at("epoch")));
    peer.ok("daemon.shutdown");
    ASSERT_TRUE(peer.closed());
  }
  ASSERT_TRUE(support::wait_until([&] { return home_.start() == "ok"; }));
  Peer peer = this->peer();
  const std::string id = run(peer, "cat");
  // One that comes back, and one whose clock was ahead.
  for (const uint64_t known : {last, last + 1'000'000'000'000}) {
    Peer follower = this->peer();
    const json::value from = follower.ok("events.subscribe", {{"after", known}});
    EXPECT_TRUE(from.at("replaced").as_bool());
    EXPECT_EQ(0, from.at("missed").to_number<int>());
    EXPECT_NE(epoch, json::serialize(from.at("epoch")));
    const auto event = follower.heard(
        "event", [&](const json::object& each) { return each.at("kind") == "session.created"; });
    ASSERT_TRUE(event) << "all of this one's events come";
    EXPECT_EQ(id, std::string(event->at("session").as_string()));
  }
  // Whoever asks for everything knew no other.
  EXPECT_FALSE(peer.ok("events.subscribe", {{"after", 0}}).at("replaced").as_bool());
}

}  // namespace
}  // namespace host_test
