// SPDX-License-Identifier: Apache-2.0
// Reading by absolute offsets, and waiting for what a program does.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using ReadAndWait = DaemonTest;

std::string data(const json::value& read) { return std::string(read.at("data").as_string()); }
uint64_t number(const json::value& read, const char* name) { return read.at(name).to_number<uint64_t>(); }

TEST_F(ReadAndWait, ReadsGoOnWhereTheLastOneEnded) {
  Peer peer = this->peer();
  const std::string id = run(peer, "stty -opost; printf 0123456789; cat");
  ASSERT_TRUE(prints(peer, id, "0123456789"));
  const json::value first = peer.ok("pty.read", {{"session", id}, {"since", 0}, {"max_bytes", 6}});
  EXPECT_EQ("012345", data(first));
  EXPECT_EQ(0U, number(first, "offset"));
  EXPECT_EQ(6U, number(first, "next_offset"));
  EXPECT_EQ(0U, number(first, "lost_bytes"));
  EXPECT_TRUE(first.at("alive").as_bool());
  EXPECT_EQ("6789", data(peer.ok("pty.read", {{"session", id}, {"since", 6}})));
  EXPECT_EQ("", data(peer.ok("pty.read", {{"session", id}, {"since", 10}})));
  EXPECT_EQ("6789", data(peer.ok("pty.read", {{"session", id}, {"max_bytes", 4}})))
      << "the newest without since";
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.read", {{"session", id}, {"since", 11}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.read", {{"session", id}, {"since", -1}}));
}

TEST_F(ReadAndWait, WhatTheRingHasLostIsCounted) {
  Peer peer = this->peer();
  const std::string id = run(peer, "head -c 200000 /dev/zero | tr '\\0' x; echo end; cat",
                             {{"settings", "session: {journal_bytes: 65536}"}});
  ASSERT_EQ("text", std::string(peer.ok("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "end"}})
                                    .at("reason")
                                    .as_string()));
  const json::value read = peer.ok("pty.read", {{"session", id}, {"since", 0}});
  EXPECT_EQ(number(read, "offset"), number(read, "lost_bytes"));
  EXPECT_EQ(200005U - 65536U, number(read, "lost_bytes"));
  EXPECT_EQ(200005U, number(read, "next_offset"));
}

TEST_F(ReadAndWait, AReadWaitsForSomethingNewAndAtMostItsTimeout) {
  Peer peer = this->peer();
  const std::string id = run(peer, "stty -echo; read a; echo heard $a; cat");
  const uint64_t waiting =
      peer.client().send("pty.read", {{"session", id}, {"since", 0}, {"timeout_ms", 60000}});
  peer.ok("pty.write", {{"session", id}, {"data", "you\r"}});
  const auto came = peer.answer(waiting);
  ASSERT_TRUE(came && came->result);
  EXPECT_NE("", data(*came->result));
  ASSERT_TRUE(prints(peer, id, "heard you"));
  const uint64_t end = number(peer.ok("pty.read", {{"session", id}, {"since", 0}}), "next_offset");
  const json::value nothing = peer.ok("pty.read", {{"session", id}, {"since", end}, {"timeout_ms", 30}});
  EXPECT_EQ("", data(nothing));
  EXPECT_EQ(end, number(nothing, "next_offset"));
  // The end of the program is something new.
  const uint64_t last =
      peer.client().send("pty.read", {{"session", id}, {"since", end}, {"timeout_ms", 60000}});
  peer.ok("session.kill", {{"session", id}, {"force", true}});
  const auto ended = peer.answer(last);
  ASSERT_TRUE(ended && ended->result);
  EXPECT_FALSE(ended->result->at("alive").as_bool());
}

TEST_F(ReadAndWait, CharactersAreNeverCut) {
  Peer peer = this->peer();
  const std::string id = run(peer,
                             "stty raw -echo; printf 'a\\303\\244\\360\\237\\230\\200\\342'; read x; printf "
                             "'\\202\\254|\\377\\200\\342'");
  ASSERT_TRUE(prints(peer, id, "😀"));
  EXPECT_EQ("aä😀", output(peer, id)) << "the beginning of the next one is held back";
  std::string all;
  uint64_t at = 0;
  for (int i = 0; i < 3; i++) {
    const json::value read = peer.ok("pty.read", {{"session", id}, {"since", at}, {"max_bytes", 1}});
    all += data(read);
    at = number(read, "next_offset");
  }
  EXPECT_EQ("aä😀", all) << "also where a read asks for less than a character";
  EXPECT_EQ(7U, at);
  peer.ok("pty.write", {{"session", id}, {"data", "\n"}});
  ASSERT_TRUE(becomes(peer, id, "dead"));
  EXPECT_EQ("aä😀€|\uFFFD\uFFFD\uFFFD", output(peer, id));
  EXPECT_EQ("YcOk8J+YgOKCrHz/gOI=",
            data(peer.ok("pty.read", {{"session", id}, {"since", 0}, {"encoding", "base64"}})));
}

TEST_F(ReadAndWait, WaitsForQuietTextAndTheEnd) {
  Peer peer = this->peer();
  const std::string id = run(peer, "read a; echo one; read b; echo 'value = 42'; read c; exit 3");
  EXPECT_EQ("quiet", std::string(peer.ok("pty.wait", {{"session", id}, {"until", "quiet"}, {"quiet_ms", 20}})
                                     .at("reason")
                                     .as_string()));
  const uint64_t text =
      peer.client().send("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "value = \\d+"}});
  const uint64_t end = peer.client().send("pty.wait", {{"session", id}, {"until", "exited"}});
  peer.ok("pty.write", {{"session", id}, {"data", "\r\r"}});
  const auto found = peer.answer(text);
  ASSERT_TRUE(found && found->result);
  EXPECT_EQ("value = 42", std::string(found->result->at("line").as_string()));
  peer.ok("pty.write", {{"session", id}, {"data", "\r"}});
  const auto exited = peer.answer(end);
  ASSERT_TRUE(exited && exited->result);
  EXPECT_EQ(3, exited->result->at("exit_code").to_number<int>());
  EXPECT_TRUE(exited->result->at("signal").is_null());
}

TEST_F(ReadAndWait, ATextThatScrollsByInAFloodIsSeen) {
  Peer peer = this->peer();
  const std::string id = run(peer, "read a; seq 1 1000; echo NEEDLE; seq 1 5000; cat");
  const uint64_t wait =
      peer.client().send("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "^NEEDLE$"}});
  peer.ok("pty.write", {{"session", id}, {"data", "\r"}});
  const auto found = peer.answer(wait);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->result);
}

TEST_F(ReadAndWait, AWaitGoesWithItsConnection) {
  Peer keeper = this->peer();
  const std::string id = run(keeper, "cat");
  const size_t before = resting_descriptors(daemon_pid(keeper));
  for (int i = 0; i < 20; i++) {
    Peer peer = this->peer();
    for (int j = 0; j < 20; j++) peer.client().send("pty.wait", {{"session", id}, {"until", "exited"}});
    peer.ok("daemon.status");
  }
  expect_healthy(before);
  keeper.ok("session.kill", {{"session", id}});
}

TEST_F(ReadAndWait, ManyLargeAnswersDoNotEndASlowClient) {
  Peer peer = this->peer();
  const std::string id = run(peer, "head -c 1000000 /dev/zero | tr '\\0' x; echo end; cat");
  peer.ok("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "end"}});
  std::vector<uint64_t> asked;
  for (int i = 0; i < 300; i++)
    asked.push_back(peer.client().send("pty.read", {{"session", id}, {"since", 0}, {"max_bytes", 131072}}));
  ASSERT_TRUE(peer.client().flush());
  // All of it, 38 MB, waits for a client that has not read anything while it asked.
  for (const uint64_t each : asked) {
    const auto answer = peer.answer(each);
    ASSERT_TRUE(answer && answer->result);
    ASSERT_EQ(131072U, data(*answer->result).size());
  }
}

}  // namespace
}  // namespace host_test
