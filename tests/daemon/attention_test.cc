// SPDX-License-Identifier: Apache-2.0
// Whether programs wait for a person, as clients of the daemon see it: real programs, looked at by their
// keeper.
#include <csignal>
#include <gmock/gmock.h>
#include <set>

#include "daemon_fixture.h"

namespace host_test {
namespace {

class AttentionTest : public DaemonTest {
 protected:
  json::object wait(Peer& peer, const std::string& id, const std::string& until) {
    return peer.ok("pty.wait", {{"session", id}, {"until", until}, {"timeout_ms", 60'000}}).as_object();
  }
  std::string state(Peer& peer, const std::string& id) {
    return std::string(session(peer, id).at("state").as_string());
  }
  bool comes_to(Peer& peer, const std::string& id, std::string_view wanted) {
    return support::wait_until([&] { return state(peer, id) == wanted; });
  }
};

bool is(const json::object& params, const char* key, std::string_view value) {
  return params.at(key).as_string() == value;
}

std::string text(const json::value& value, std::string_view pointer) {
  return std::string(value.at_pointer(pointer).as_string());
}

TEST_F(AttentionTest, AQuestionIsKnownWithAllThatAnAnswerNeeds) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf 'Continue? [Y/n] '; read a; echo \"got $a\"; sleep 60");
  const json::value came = wait(peer, id, "waiting");
  EXPECT_EQ(text(came, "/reason"), "waiting");
  EXPECT_EQ(text(came, "/prompt/type"), "YES_NO");
  EXPECT_EQ(text(came, "/prompt/question"), "Continue? [Y/n]");
  EXPECT_EQ(text(came, "/prompt/default"), "y");
  EXPECT_EQ(text(came, "/prompt/choices/1/send"), "n");
  EXPECT_TRUE(came.at_pointer("/prompt/enter").as_bool());
  EXPECT_FALSE(came.at_pointer("/prompt/secret").as_bool());
  EXPECT_EQ(text(came, "/why/evidence/verdict"), "waits");
  EXPECT_EQ(text(came, "/why/evidence/call"), "read");
  EXPECT_EQ(state(peer, id), "waiting");

  peer.ok("pty.write", {{"session", id}, {"data", "y"}, {"enter", true}});
  EXPECT_TRUE(prints(peer, id, "got y"));
  EXPECT_TRUE(comes_to(peer, id, "working"));
  EXPECT_TRUE(session(peer, id).at("prompt").is_null());
}

TEST_F(AttentionTest, AProgramThatIsBusyAsksNothingWhateverItPrinted) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf 'Do you want to proceed? (y/n) '; sleep 60");
  ASSERT_TRUE(prints(peer, id, "(y/n)"));
  // Looked at: the evidence is there, and it is certain.
  ASSERT_TRUE(support::wait_until([&] {
    const auto why = session(peer, id).at_pointer("/ptys/0/why");
    return why.at("evidence").is_object() && text(why, "/evidence/verdict") == "busy";
  }));
  EXPECT_EQ(state(peer, id), "working");
  EXPECT_TRUE(peer.ok("prompt.list").as_array().empty());
}

TEST_F(AttentionTest, AShellAtItsPromptIsReadyAndItsReadIsAQuestion) {
  Peer peer = this->peer();
  const auto created = peer.ok("session.create", {{"command", {"bash", "--norc", "-i"}}});
  const std::string id = text(created, "/id");
  EXPECT_TRUE(comes_to(peer, id, "ready"));
  EXPECT_TRUE(peer.ok("prompt.list").as_array().empty());
  peer.ok("pty.write", {{"session", id}, {"data", "read -p 'Name: ' n"}, {"enter", true}});
  const json::value came = wait(peer, id, "waiting");
  EXPECT_EQ(text(came, "/prompt/type"), "FREE_TEXT");
  peer.ok("pty.write", {{"session", id}, {"data", "Ada"}, {"enter", true}});
  EXPECT_TRUE(comes_to(peer, id, "ready"));
}

TEST_F(AttentionTest, ASilentReaderIsKnownWithoutAnyText) {
  Peer peer = this->peer();
  const std::string id = run(peer, "exec cat");
  const json::value came = wait(peer, id, "waiting");
  EXPECT_EQ(text(came, "/prompt/type"), "UNKNOWN");
  EXPECT_TRUE(came.at_pointer("/prompt/ambiguous").as_bool());
}

TEST_F(AttentionTest, APasswordIsSecret) {
  Peer peer = this->peer();
  const std::string id = run(peer, "stty -echo; printf 'Token: '; read a; sleep 60");
  const json::value came = wait(peer, id, "waiting");
  EXPECT_TRUE(came.at_pointer("/prompt/secret").as_bool());
}

TEST_F(AttentionTest, QuestionsComeAsEventsOncePerWait) {
  Peer peer = this->peer();
  peer.ok("events.subscribe");
  const std::string id =
      run(peer, "for i in 1 2 3; do printf 'Again? (y/n) '; read a; done; echo over; sleep 60");
  std::set<std::string> prompts;
  for (int i = 0; i < 3; i++) {
    const auto asked =
        peer.heard("event", [](const json::object& params) { return is(params, "kind", "prompt.asked"); });
    ASSERT_TRUE(asked) << i;
    EXPECT_EQ(asked->at("question").as_string(), "Again? (y/n)");
    EXPECT_EQ(asked->at("state").as_string(), "waiting");
    EXPECT_TRUE(prompts.insert(std::string(asked->at("prompt").as_string())).second)
        << "each has its own name";
    peer.ok("pty.write", {{"session", id}, {"data", "y"}, {"enter", true}});
    EXPECT_TRUE(
        peer.heard("event", [](const json::object& params) { return is(params, "kind", "prompt.left"); }));
  }
  EXPECT_TRUE(comes_to(peer, id, "working"));
}

TEST_F(AttentionTest, PromptsAreListedOldestFirst) {
  Peer peer = this->peer();
  const std::string first = run(peer, "printf 'First? (y/n) '; read a");
  wait(peer, first, "waiting");
  const std::string second = run(peer, "printf 'Second? (y/n) '; read a");
  wait(peer, second, "waiting");
  const auto list = peer.ok("prompt.list").as_array();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(text(list[0], "/session"), first);
  EXPECT_EQ(text(list[1], "/question"), "Second? (y/n)");
  EXPECT_EQ(text(list[1], "/why/state"), "waiting");
  EXPECT_EQ(peer.ok("prompt.list", {{"session", first}}).as_array().size(), 1U);
  peer.ok("session.kill", {{"session", first}, {"force", true}});
  EXPECT_EQ(peer.ok("prompt.list").as_array().size(), 1U);
}

TEST_F(AttentionTest, AWaitingProgramIsNotLookedAtAnyMore) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf 'Continue? (y/n) '; read a");
  wait(peer, id, "waiting");
  const std::vector<pid_t> keepers = home_.keepers();
  ASSERT_EQ(keepers.size(), 1U);
  const auto switches = [&] {
    const std::string status = support::read_file("/proc/" + std::to_string(keepers[0]) + "/status");
    const size_t at = status.find("\nvoluntary_ctxt_switches:");
    return std::stoul(status.substr(at + 25));
  };
  const auto before = switches();
  // Nobody asks the keeper, however often the daemon is asked.
  for (int i = 0; i < 20; i++) session(peer, id);
  EXPECT_EQ(switches(), before);
}

TEST_F(AttentionTest, TheNextDaemonFindsTheQuestionAgain) {
  Peer peer = this->peer();
  const std::string id = run(peer, "printf 'Continue? (y/n) '; read a; echo \"got $a\"; sleep 60");
  wait(peer, id, "waiting");
  const pid_t daemon = daemon_pid(peer);
  ASSERT_EQ(0, ::kill(daemon, SIGKILL));
  ASSERT_TRUE(support::wait_until([&] {
    auto client = wire::Client::connect(home_.socket(), {.agent = "tester", .channel = "test"});
    auto status = client ? client->call("daemon.status", {}, std::chrono::seconds(10))
                         : std::unexpected(client.error());
    return status && status->at("pid").to_number<pid_t>() != daemon;
  }));
  Peer next = this->peer();
  const json::value came = wait(next, id, "waiting");
  EXPECT_EQ(text(came, "/prompt/question"), "Continue? (y/n)");
  next.ok("pty.write", {{"session", id}, {"data", "y"}, {"enter", true}});
  EXPECT_TRUE(prints(next, id, "got y"));
  EXPECT_TRUE(comes_to(next, id, "working"));
}

TEST_F(AttentionTest, AnEndBeforeAQuestionIsToldToWhoeverWaits) {
  Peer peer = this->peer();
  const std::string id = run(peer, "exit 3");
  const auto error = peer.code("pty.wait", {{"session", id}, {"until", "waiting"}, {"timeout_ms", 60'000}});
  EXPECT_EQ(error, "PTY_PROCESS_EXITED");
}

TEST_F(AttentionTest, AUsersOwnPatternsCount) {
  Peer peer = this->peer();
  const std::string settings =
      "detector:\n  patterns:\n    - {type: YES_NO, pattern: 'weiter\\? \\(j/n\\)'}\n";
  const std::string id = run(peer, "printf 'Wirklich weiter? (j/n) '; read a", {{"settings", settings}});
  const json::value came = wait(peer, id, "waiting");
  EXPECT_EQ(text(came, "/why/matches/0/name"), "detector.patterns[0]");
}

TEST_F(AttentionTest, CanBeSwitchedOff) {
  Peer peer = this->peer();
  const std::string id =
      run(peer, "printf 'Continue? (y/n) '; read a", {{"settings", "detector: {enabled: false}"}});
  ASSERT_TRUE(prints(peer, id, "(y/n)"));
  EXPECT_EQ(state(peer, id), "unknown");
  EXPECT_TRUE(session(peer, id).at_pointer("/ptys/0/why/evidence").is_null()) << "nobody looks";
}

TEST_F(AttentionTest, ABrokenPatternIsRefusedWithItsName) {
  Peer peer = this->peer();
  const std::string settings = "detector:\n  patterns:\n    - {type: YES_NO, pattern: '(never closed'}\n";
  const auto error = peer.code("session.create", {{"command", {"true"}}, {"settings", settings}});
  EXPECT_EQ(error, "INVALID_PARAM");
}

}  // namespace
}  // namespace host_test
