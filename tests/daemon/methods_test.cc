// SPDX-License-Identifier: Apache-2.0
// What each method gives, and what it says when it cannot: the operations, fields and codes of the PTY
// daemon's table, over the real socket.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using Methods = DaemonTest;

std::string text(const json::value& value) { return std::string(value.as_string()); }

TEST_F(Methods, SpawnGivesASessionWithTheFieldsOfTheTable) {
  Peer peer = this->peer("alice");
  const json::value made = peer.ok("pty.spawn", {{"shell", "/bin/sh"}, {"cwd", home_.path()}});
  EXPECT_EQ(made.at("id"), made.at("session_id"));
  EXPECT_EQ("/bin/sh", text(made.at("shell")));
  EXPECT_EQ(home_.path(), text(made.at("cwd")));
  EXPECT_EQ(120, made.at("cols").to_number<int>());
  EXPECT_EQ(30, made.at("rows").to_number<int>());
  EXPECT_THAT(text(made.at("created_at")), testing::MatchesRegex("20..-..-..T..:..:..\\..*Z"));
  EXPECT_EQ("alice", text(made.at("owner")));
  EXPECT_TRUE(made.at("labels").as_object().empty());
  EXPECT_TRUE(made.at("prompt").is_null());
  EXPECT_TRUE(made.at("ended_at").is_null());
  EXPECT_EQ("working", text(made.at("state"))) << "nobody has looked at it yet";
  const json::value& pty = made.at("ptys").at(0);
  EXPECT_EQ("running", text(pty.at("state")));
  EXPECT_GT(pty.at("pid").to_number<int>(), 1);
  EXPECT_TRUE(pty.at("exit_code").is_null());
  EXPECT_TRUE(pty.at("signal").is_null());
  EXPECT_EQ(0, pty.at("clients").to_number<int>());
}

TEST_F(Methods, WriteReadResizeKillAndListDoWhatTheTableSays) {
  Peer peer = this->peer();
  const std::string id =
      run(peer, "while read line; do stty size; echo got:$line; done", {{"cols", 90}, {"rows", 20}});
  EXPECT_EQ(6, peer.ok("pty.write", {{"session", id}, {"data", "hello\r"}}).at("bytes").to_number<int>());
  ASSERT_TRUE(prints(peer, id, "got:hello"));
  EXPECT_THAT(output(peer, id), testing::HasSubstr("20 90"));
  const json::value size = peer.ok("pty.resize", {{"session", id}, {"cols", 77}, {"rows", 11}});
  EXPECT_EQ(77, size.at("cols").to_number<int>());
  peer.ok("pty.write", {{"session", id}, {"data", "again"}, {"enter", true}});
  ASSERT_TRUE(prints(peer, id, "got:again"));
  EXPECT_THAT(output(peer, id), testing::HasSubstr("11 77"));
  EXPECT_EQ(1U, peer.ok("session.list").at("sessions").as_array().size());
  EXPECT_EQ(1U, peer.ok("pty.list").as_array().size());
  EXPECT_EQ(0, peer.ok("session.kill", {{"session", id}}).at("survivors").to_number<int>());
  EXPECT_TRUE(becomes(peer, id, "dead"));
  EXPECT_EQ("exited", text(session(peer, id).at("state")));
  EXPECT_EQ(0, peer.ok("daemon.status").at("sessions").to_number<int>());
}

TEST_F(Methods, SayWhatIsWrongWithACode) {
  Peer peer = this->peer();
  const std::string id = run(peer, "cat");
  for (const char* method :
       {"pty.read", "pty.screen", "pty.attach", "pty.kill", "session.get", "session.kill", "session.restart"})
    EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code(method, {{"session", "nobody"}})) << method;
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.write", {{"session", "nobody"}, {"data", "x"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.write", {{"session", id}, {"pty", 7}, {"data", "x"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.wait", {{"session", "nobody"}, {"until", "exited"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.spawn", {{"session", "nobody"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.resolve", {{"target", "nobody:1"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.list", {{"session", "nobody"}}));
  EXPECT_EQ("PTY_SPAWN_FAILED", peer.code("pty.spawn", {{"shell", "/no/such/shell"}}));
  EXPECT_EQ("PTY_SPAWN_FAILED", peer.code("pty.spawn", {{"session", id}, {"shell", "/no/such/shell"}}));
  EXPECT_EQ("PTY_SPAWN_FAILED",
            peer.code("session.create", {{"command", json::array{"sh"}}, {"cwd", "/no/such"}}));
  EXPECT_EQ("PTY_TIMEOUT", peer.code("pty.wait", {{"session", id}, {"until", "exited"}, {"timeout_ms", 1}}));
  EXPECT_EQ("UNKNOWN_METHOD", peer.code("pty.dance"));
  EXPECT_EQ("UNKNOWN_METHOD", peer.code("hello", {{"version", 1}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.read", {{"session", id}, {"colour", "red"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.read", {{"session", 5}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.read"));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.read", {{"session", id}, {"encoding", "rot13"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.wait", {{"session", id}, {"until", "tomorrow"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "("}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.wait", {{"session", id}, {"until", "text"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.screen", {{"session", id}, {"format", "oil"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.attach", {{"session", id}, {"role", "king"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.write", {{"session", id}, {"keys", json::array{"C-Foo"}}}));
  EXPECT_EQ("INVALID_PARAM",
            peer.code("pty.write", {{"session", id}, {"data", "!"}, {"encoding", "base64"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("session.create", {{"command", json::array{""}}}));
  EXPECT_EQ("INVALID_PARAM",
            peer.code("session.create", {{"command", json::array{"sh"}}, {"settings", "session: 5"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("audit.verify", {{"anchor_seq", 1}, {"anchor_hash", "xyz"}}));
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("pty.resync"));
  EXPECT_EQ(1U, peer.ok("session.list").at("sessions").as_array().size())
      << "a session that could not start left something";
}

TEST_F(Methods, ADeadPtyCanBeReadButTakesNothing) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf 'last words'; exit 7");
  ASSERT_TRUE(becomes(peer, id, "dead"));
  const json::value read = peer.ok("pty.read", {{"session", id}});
  EXPECT_EQ("last words", text(read.at("data")));
  EXPECT_FALSE(read.at("alive").as_bool());
  EXPECT_THAT(text(peer.ok("pty.screen", {{"session", id}}).at("data")), testing::StartsWith("last words"));
  EXPECT_EQ(7, session(peer, id).at_pointer("/ptys/0/exit_code").to_number<int>());
  for (const char* method : {"pty.attach", "pty.kill", "session.restart"})
    EXPECT_EQ("PTY_PROCESS_EXITED", peer.code(method, {{"session", id}})) << method;
  EXPECT_EQ("PTY_PROCESS_EXITED", peer.code("pty.write", {{"session", id}, {"data", "x"}}));
  EXPECT_EQ("PTY_PROCESS_EXITED", peer.code("pty.resize", {{"session", id}, {"cols", 10}, {"rows", 10}}));
  EXPECT_EQ("PTY_PROCESS_EXITED", peer.code("pty.spawn", {{"session", id}}));
  EXPECT_EQ("PTY_PROCESS_EXITED",
            peer.code("pty.wait", {{"session", id}, {"until", "text"}, {"pattern", "never"}}));
  const json::value waited = peer.ok("pty.wait", {{"session", id}, {"until", "exited"}});
  EXPECT_EQ("exited", text(waited.at("reason")));
  EXPECT_EQ(7, waited.at("exit_code").to_number<int>());
  EXPECT_TRUE(peer.ok("session.kill", {{"session", id}}).at("forgotten").as_bool());
  EXPECT_EQ("PTY_SESSION_NOT_FOUND", peer.code("session.get", {{"session", id}}));
}

TEST_F(Methods, KeysHaveNamesAndBytesHaveBase64) {
  Peer peer = this->peer();
  const std::string id = run(peer, "stty raw -echo; echo ready; od -An -tx1 -N 9");
  ASSERT_TRUE(prints(peer, id, "ready"));
  peer.ok("pty.write", {{"session", id}, {"keys", json::array{"C-c", "Up", "M-x"}}});
  peer.ok("pty.write", {{"session", id}, {"data", "AP+A"}, {"encoding", "base64"}});
  EXPECT_TRUE(prints(peer, id, "03 1b 5b 41 1b 78 00 ff 80")) << output(peer, id);
}

TEST_F(Methods, TheScreenComesInFiveFormats) {
  Peer peer = this->peer();
  const std::string id =
      run(peer, "printf '\\033]2;a title\\007\\033[31mred\\033[0m \\033[?1049hother'; cat");
  ASSERT_TRUE(prints(peer, id, "other"));
  for (const auto& [format, part] : std::map<std::string, std::string>{
           {"text", "other"}, {"ansi", "other"}, {"html", "<"}, {"svg", "<svg"}, {"json", "{"}}) {
    const json::value screen = peer.ok("pty.screen", {{"session", id}, {"format", format}});
    EXPECT_THAT(text(screen.at("data")), testing::HasSubstr(part)) << format;
    EXPECT_EQ("a title", text(screen.at("title")));
    EXPECT_TRUE(screen.at("alternate").as_bool());
    EXPECT_EQ(120, screen.at("cols").to_number<int>());
  }
}

TEST_F(Methods, NamesAreCheckedAndFoldersOfOneNameAreTwoSessions) {
  Peer peer = this->peer();
  for (const char* bad : {".hidden", "-n", "a/b", "a b", "a:1", "ä", "a\nb"})
    EXPECT_EQ("INVALID_PARAM", peer.code("session.create", {{"name", bad}, {"command", json::array{"cat"}}}))
        << bad;
  EXPECT_EQ("INVALID_PARAM",
            peer.code("session.create", {{"name", std::string(65, 'x')}, {"command", json::array{"cat"}}}));
  for (const char* folder : {"a/work", "b/work"})
    std::filesystem::create_directories(home_.path() + "/" + folder);
  const std::string first = run(peer, "cat", {{"cwd", home_.path() + "/a/work"}});
  const std::string second = run(peer, "cat", {{"cwd", home_.path() + "/b/work"}});
  EXPECT_EQ("work", text(session(peer, first).at("name")));
  EXPECT_EQ("work-2", text(session(peer, second).at("name")));
  EXPECT_NE(first, second);
  EXPECT_EQ("INVALID_PARAM",
            peer.code("session.create", {{"name", "work"}, {"command", json::array{"cat"}}}));
  EXPECT_EQ(first, text(peer.ok("pty.resolve", {{"target", "work"}}).at("session")));
  EXPECT_EQ(second, text(peer.ok("pty.resolve", {{"target", second + ":0"}}).at("session")));
}

TEST_F(Methods, ANameIsFreeAgainAsSoonAsItsSessionIsKilledAndItsIdNever) {
  Peer peer = this->peer();
  std::set<std::string> ids;
  for (int i = 0; i < 5; i++) {
    const std::string id = run(peer, "trap '' HUP; cat", {{"name", "again"}});
    EXPECT_TRUE(ids.insert(id).second);
    peer.ok("session.kill", {{"session", "again"}, {"force", true}});
  }
  EXPECT_EQ(5U, peer.ok("session.list").at("sessions").as_array().size());
}

TEST_F(Methods, ListsComeInPagesThatFitAMessage) {
  Peer peer = this->peer();
  // As much text as a thousand sessions have.
  std::vector<std::string> ids;
  for (int i = 0; i < 24; i++)
    ids.push_back(run(peer, "exec cat", {{"labels", {{"note", std::string(60'000, 'x')}}}}));
  std::vector<std::string> seen;
  json::object params;
  size_t pages = 0;
  for (json::value next = ""; !next.is_null(); pages++) {
    const json::value page = peer.ok("session.list", params);
    EXPECT_LE(json::serialize(page).size(), size_t{900} << 10);
    for (const json::value& each : page.at("sessions").as_array())
      seen.emplace_back(each.at("id").as_string());
    next = params["after"] = page.at("next");
    // One that goes in between moves no other.
    if (pages == 0) {
      peer.ok("session.kill", {{"session", seen.back()}, {"force", true}});
      peer.ok("session.kill", {{"session", seen.back()}});
    }
  }
  EXPECT_EQ(ids, seen);
  EXPECT_EQ(2U, pages);
  EXPECT_EQ(23U, peer.ok("pty.list").as_array().size());
  const json::value few = peer.ok("session.list", {{"limit", 3}});
  EXPECT_EQ(3U, few.at("sessions").as_array().size());
  EXPECT_EQ(
      ids[3],
      text(peer.ok("session.list", {{"limit", 1}, {"after", few.at("next")}}).at_pointer("/sessions/0/id")));
  EXPECT_EQ("INVALID_PARAM", peer.code("session.list", {{"after", "yesterday"}}));
  EXPECT_EQ("INVALID_PARAM", peer.code("session.create", {{"command", json::array{"cat"}},
                                                          {"labels", {{"note", std::string(70'000, 'x')}}}}));
}

TEST_F(Methods, ASessionWithALongCommandIsListedWithAShortOne) {
  Peer peer = this->peer();
  json::array command{"/bin/sh", "-c", "exec cat"};
  for (int i = 0; i < 6; i++) command.push_back(json::string(std::string(100'000, 'a')));
  const json::value made = peer.ok("session.create", {{"command", command}});
  const json::value listed = peer.ok("session.list").at("sessions").at(0);
  EXPECT_EQ(made.at("id"), listed.at("id"));
  EXPECT_LT(json::serialize(listed).size(), 20'000U);
  EXPECT_EQ("exec cat", text(listed.at_pointer("/command/2")));
  EXPECT_EQ("MESSAGE_TOO_LARGE", peer.code("session.get", {{"session", made.at("id")}}));
}

TEST_F(Methods, LabelsEnvironmentAndUmaskReachTheProgram) {
  Peer peer = this->peer();
  const std::string id = run(peer, "echo $COLOUR; umask; cat",
                             {{"env", json::array{"COLOUR=blue", "PATH=/bin:/usr/bin"}},
                              {"umask", 027},
                              {"labels", json::object{{"team", "one"}}}});
  ASSERT_TRUE(prints(peer, id, "0027"));
  EXPECT_THAT(output(peer, id), testing::HasSubstr("blue"));
  EXPECT_EQ("one", text(session(peer, id).at_pointer("/labels/team")));
}

TEST_F(Methods, SizesAreClamped) {
  Peer peer = this->peer();
  const std::string id = run(peer, "cat", {{"cols", 0}, {"rows", 5000}});
  EXPECT_EQ(1, session(peer, id).at("cols").to_number<int>());
  EXPECT_EQ(1000, session(peer, id).at("rows").to_number<int>());
  EXPECT_EQ(
      1000,
      peer.ok("pty.resize", {{"session", id}, {"cols", 65535}, {"rows", 0}}).at("cols").to_number<int>());
  EXPECT_EQ("INVALID_PARAM", peer.code("pty.resize", {{"session", id}, {"cols", 65536}, {"rows", 5}}));
}

TEST_F(Methods, AHundredRequestsGoSideBySideAndAKillOvertakesAWait) {
  Peer peer = this->peer();
  const std::string id = run(peer, "cat");
  std::vector<uint64_t> waits;
  for (int i = 0; i < 100; i++)
    waits.push_back(peer.client().send("pty.wait", {{"session", id}, {"until", "exited"}}));
  const uint64_t kill = peer.client().send("session.kill", {{"session", id}, {"force", true}});
  const auto killed = peer.answer(kill);
  ASSERT_TRUE(killed && killed->result);
  for (const uint64_t each : waits) {
    const auto waited = peer.answer(each);
    ASSERT_TRUE(waited && waited->result);
    EXPECT_EQ(137, waited->result->at("exit_code").to_number<int>());
    EXPECT_EQ(9, waited->result->at("signal").to_number<int>());
  }
}

TEST_F(Methods, MoreThanAThousandRequestsAtOnceAreRefused) {
  Peer peer = this->peer();
  const std::string id = run(peer, "cat");
  uint64_t last = 0;
  for (int i = 0; i < 1001; i++)
    last = peer.client().send("pty.wait", {{"session", id}, {"until", "exited"}});
  const auto refused = peer.answer(last);
  ASSERT_TRUE(refused);
  ASSERT_FALSE(refused->result);
  // Another connection has its own.
  EXPECT_EQ(
      0,
      this->peer().ok("session.kill", {{"session", id}, {"force", true}}).at("survivors").to_number<int>());
}

TEST_F(Methods, ShutdownAnswersBeforeItGoes) {
  Peer peer = this->peer();
  const pid_t pid = daemon_pid(peer);
  EXPECT_EQ(pid, peer.ok("daemon.shutdown").at("pid").to_number<pid_t>());
  EXPECT_TRUE(peer.closed());
}

}  // namespace
}  // namespace host_test
