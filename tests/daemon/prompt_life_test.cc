// SPDX-License-Identifier: Apache-2.0
// The life of a prompt, from its question to what came of it: real programs, real terminals, daemons that are
// replaced.
#include <csignal>
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

std::string text(const json::object& object, const char* name) {
  const json::value& value = object.at(name);
  return value.is_string() ? std::string(value.as_string()) : "";
}

class PromptLife : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    peer_.emplace(peer());
  }
  json::object asks(const std::string& script, const std::string& settings = "") {
    json::object more;
    if (!settings.empty()) more["settings"] = settings;
    id_ = run(*peer_, script, std::move(more));
    return question();
  }
  // The one question that is open.
  json::object question() {
    json::array open;
    EXPECT_TRUE(support::wait_until([&] {
      open = peer_->ok("prompt.list", {{"session", id_}}).as_array();
      return open.size() == 1;
    }));
    return open.empty() ? json::object{} : open[0].as_object();
  }
  json::object get(const json::object& prompt) {
    return peer_->ok("prompt.get", {{"prompt_id", prompt.at("id")}}).as_object();
  }
  bool becomes(const json::object& prompt, std::string_view state) {
    return support::wait_until([&] { return text(get(prompt), "state") == state; });
  }
  json::object answer(const json::object& prompt, json::object params) {
    params["prompt_id"] = prompt.at("id");
    params["nonce"] = prompt.at("nonce");
    return peer_->ok("prompt.answer", std::move(params)).as_object();
  }
  std::string refusal(const json::object& prompt, json::object params) {
    params["prompt_id"] = prompt.at("id");
    return peer_->code("prompt.answer", std::move(params));
  }
  bool prints(std::string_view text) { return DaemonTest::prints(*peer_, id_, text); }
  json::array audit() {
    const json::value rows = peer_->ok("audit.show", {{"action", "answer"}, {"newest_first", true}});
    return rows.as_array();
  }
  json::object last_row() {
    const json::array rows = audit();
    return rows.empty() ? json::object{} : rows[0].as_object();
  }
  void replace_daemon() {
    const pid_t old = daemon_pid(*peer_);
    ::kill(old, SIGKILL);
    wait_for_another(old);
    peer_.emplace(peer());
  }

  std::optional<Peer> peer_;
  std::string id_;
};

TEST_F(PromptLife, AnAnswerThatTheProgramTookIsAccepted) {
  const auto prompt = asks("printf 'Continue? (y/n) '; read a; echo \"got $a\"; sleep 60");
  EXPECT_EQ("awaiting", text(prompt, "state"));
  EXPECT_GE(text(prompt, "nonce").size(), 16U);
  const auto result = answer(prompt, {{"answer", "yes"}});
  EXPECT_EQ("answered", text(result, "state"));
  EXPECT_EQ("accepted", text(result, "outcome"));
  EXPECT_TRUE(prints("got y"));
  const auto ended = get(prompt);
  EXPECT_EQ("answered", text(ended, "state"));
  EXPECT_EQ("accepted", text(ended, "outcome"));
  EXPECT_EQ("tester", text(ended, "by"));
  EXPECT_EQ("yes", text(ended, "value"));
  EXPECT_EQ("accepted", text(last_row(), "summary"));
  EXPECT_EQ("PROMPT_STALE", refusal(prompt, {{"answer", "n"}}));
}

TEST_F(PromptLife, AnAnswerThatEndsTheProgramIsAccepted) {
  const auto prompt = asks("printf 'Stop? (y/n) '; read a");
  EXPECT_EQ("accepted", text(answer(prompt, {{"answer", "y"}}), "outcome"));
}

TEST_F(PromptLife, TheSameQuestionAskedAnewIsARejectedAnswer) {
  const auto prompt = asks(
      "while :; do printf 'Continue? (y/n) '; read a; [ \"$a\" = y ] && break; done; echo over; sleep 60");
  EXPECT_EQ("rejected", text(answer(prompt, {{"answer", "maybe"}}), "outcome"));
  const auto again = question();
  EXPECT_NE(text(prompt, "id"), text(again, "id"));
  EXPECT_EQ("accepted", text(answer(again, {{"answer", "y"}}), "outcome"));
  EXPECT_TRUE(prints("over"));
}

// Keys without Enter: the terminal keeps them, and the program has nothing to read.
TEST_F(PromptLife, OfWhatNobodyReadNothingIsKnownAndTheQuestionIsAskedAnew) {
  const auto prompt = asks("printf 'Name: '; read a; echo \"got <$a>\"; sleep 60",
                           "prompts:\n  injection_timeout_seconds: 1\n");
  EXPECT_EQ("unknown", text(answer(prompt, {{"keys", {"x"}}}), "outcome"));
  EXPECT_EQ("unknown", text(get(prompt), "outcome"));
  json::object again;
  ASSERT_TRUE(support::wait_until([&] {
    again = question();
    return text(again, "id") != text(prompt, "id");
  }));
  EXPECT_EQ("PROMPT_STALE", refusal(prompt, {{"answer", "Ada"}}));
  EXPECT_EQ("accepted", text(answer(again, {{"answer", "Ada"}}), "outcome"));
  EXPECT_TRUE(prints("got <Ada>"));
}

// Stopped, it does not wait: nothing is written, and the prompt is still there.
TEST_F(PromptLife, AProgramThatIsStoppedGetsNothing) {
  const auto prompt = asks("printf 'Name: '; read a; echo \"got <$a>\"; sleep 60",
                           "prompts:\n  injection_timeout_seconds: 3\n");
  const auto pid = static_cast<pid_t>(session(*peer_, id_).at_pointer("/ptys/0/pid").as_int64());
  ASSERT_EQ(0, ::kill(pid, SIGSTOP));
  const std::string code = refusal(prompt, {{"answer", "Eve"}});
  ASSERT_EQ(0, ::kill(pid, SIGCONT));
  EXPECT_EQ("PROMPT_STALE", code);
  EXPECT_EQ("awaiting", text(get(prompt), "state"));
  EXPECT_EQ("accepted", text(answer(prompt, {{"answer", "Ada"}}), "outcome"));
  EXPECT_TRUE(prints("got <Ada>"));
}

TEST_F(PromptLife, TypingAtATerminalAnswersAndAStrayKeyDoesNot) {
  const auto prompt = asks("printf 'Name: '; read a; echo \"got $a\"; sleep 60");
  Peer terminal = peer("ada");
  terminal.attach({{"session", id_}});
  terminal.type("G");
  ASSERT_TRUE(prints("Name: G"));
  EXPECT_EQ("awaiting", text(get(prompt), "state"));
  terminal.type("race\r");
  EXPECT_TRUE(becomes(prompt, "answered"));
  EXPECT_TRUE(prints("got Grace"));
  const auto ended = get(prompt);
  EXPECT_EQ("ada", text(ended, "by"));
  EXPECT_EQ("terminal", text(ended, "channel"));
  EXPECT_EQ("PROMPT_STALE", refusal(prompt, {{"answer", "Eve"}}));
}

TEST_F(PromptLife, WhatSomebodyHasBegunToTypeIsNoPartOfAnAnswer) {
  const auto prompt = asks("printf 'Name: '; read a; echo \"got <$a>\"; sleep 60");
  Peer terminal = peer("ada");
  terminal.attach({{"session", id_}});
  terminal.type("Gra");
  ASSERT_TRUE(prints("Name: Gra"));
  EXPECT_EQ("accepted", text(answer(prompt, {{"answer", "Ada"}}), "outcome"));
  EXPECT_TRUE(prints("got <Ada>"));
}

TEST_F(PromptLife, KeysThatComeDuringAnAnswerFollowIt) {
  const auto prompt = asks("printf 'First: '; read a; read b; echo \"got <$a|$b>\"; sleep 60",
                           "prompts:\n  inject_settle_ms: 300\n");
  Peer terminal = peer("ada");
  terminal.attach({{"session", id_}});
  const uint64_t sent =
      peer_->client().send("prompt.answer", {{"prompt_id", prompt.at("id")}, {"answer", "one"}});
  ASSERT_TRUE(prints("First: one"));
  terminal.type("two\r");
  const auto result = peer_->answer(sent);
  ASSERT_TRUE(result && result->result);
  EXPECT_TRUE(prints("got <one|two>"));
}

TEST_F(PromptLife, AnotherNonceIsNotFoundAndTellsNothing) {
  const auto prompt = asks("printf 'Continue? (y/n) '; read a; echo \"got $a\"; sleep 60");
  EXPECT_EQ("PROMPT_NOT_FOUND", refusal(prompt, {{"answer", "y"}, {"nonce", "0123456789abcdef"}}));
  EXPECT_EQ("awaiting", text(get(prompt), "state"));
  const auto row = last_row();
  EXPECT_EQ("PROMPT_NOT_FOUND", text(row, "result"));
  EXPECT_EQ(std::string::npos, json::serialize(row).find(text(prompt, "nonce")));
}

TEST_F(PromptLife, ACancelledPromptIsNobodysAndItsQuestionStands) {
  const auto prompt = asks("printf 'Continue? (y/n) '; read a; echo \"got $a\"; sleep 60");
  const auto result = answer(prompt, {{"cancel", true}});
  EXPECT_EQ("cancelled", text(result, "state"));
  EXPECT_EQ(0, result.at("bytes").as_int64());
  EXPECT_TRUE(peer_->ok("prompt.list").as_array().empty());
  EXPECT_EQ("PROMPT_STALE", refusal(prompt, {{"answer", "y"}}));
  peer_->ok("pty.write", {{"session", id_}, {"data", "n\r"}});
  EXPECT_TRUE(prints("got n"));
  EXPECT_EQ("cancelled", text(get(prompt), "state"));
}

TEST_F(PromptLife, TheEndOfTheProgramIsTheEndOfThePrompt) {
  const auto prompt = asks("printf 'Continue? (y/n) '; read a; sleep 60");
  peer_->ok("session.kill", {{"session", id_}, {"force", true}});
  EXPECT_TRUE(becomes(prompt, "expired"));
}

TEST_F(PromptLife, AQuestionThatTheProgramTakesBackIsCancelled) {
  const auto prompt = asks("bash -c 'read -t 1 -p \"Continue? (y/n) \" a; clear; echo went on'; sleep 60");
  EXPECT_TRUE(becomes(prompt, "cancelled"));
}

TEST_F(PromptLife, APromptExpiresAndTakesNoAnswer) {
  const auto prompt = asks("printf 'Continue? [y/N] '; read a; echo \"got <$a>\"; sleep 60",
                           "prompts:\n  timeout_seconds: 1\n");
  EXPECT_TRUE(becomes(prompt, "expired"));
  EXPECT_EQ("PROMPT_STALE", refusal(prompt, {{"answer", "y"}}));
  EXPECT_TRUE(peer_->ok("prompt.list").as_array().empty());
  EXPECT_EQ("waiting", text(session(*peer_, id_).as_object(), "state"));
}

TEST_F(PromptLife, AnExpiredPromptTakesTheProgramsDefaultWhereThatIsWanted) {
  const auto prompt = asks("printf 'Continue? [y/N] '; read a; echo \"got <$a>\"; sleep 60",
                           "prompts:\n  timeout_seconds: 1\n  on_expiry: default\n");
  EXPECT_TRUE(becomes(prompt, "answered"));
  EXPECT_EQ("expiry", text(get(prompt), "by"));
  EXPECT_TRUE(prints("got <>"));
}

TEST_F(PromptLife, ANewDaemonFindsTheSamePromptAgain) {
  const auto prompt = asks("printf 'Continue? (y/n) '; read a; echo \"got $a\"; sleep 60");
  // On the disk, since this waits for it.
  peer_->ok("prompt.list", {{"state", "awaiting"}});
  replace_daemon();
  const auto again = question();
  for (const char* field : {"id", "nonce", "expires_at", "created_at"})
    EXPECT_EQ(text(prompt, field), text(again, field)) << field;
  EXPECT_EQ("accepted", text(answer(prompt, {{"answer", "y"}}), "outcome"));
  EXPECT_TRUE(prints("got y"));
}

TEST_F(PromptLife, EventsTellWhatBecameOfIt) {
  peer_->ok("events.subscribe");
  const auto prompt = asks("printf 'Continue? (y/n) '; read a; sleep 60");
  answer(prompt, {{"answer", "y"}});
  const auto changed = peer_->heard("event", [](const json::object& params) {
    return text(params, "kind") == "prompt.changed" && text(params, "state") == "answered";
  });
  ASSERT_TRUE(changed);
  EXPECT_EQ(text(prompt, "id"), text(*changed, "prompt"));
  EXPECT_EQ("accepted", text(*changed, "outcome"));
  EXPECT_EQ("tester", text(*changed, "by"));
}

TEST_F(PromptLife, EndedPromptsAreListedByTheirState) {
  const auto first = asks("printf 'First? (y/n) '; read a; printf 'Second? (y/n) '; read a; sleep 60");
  answer(first, {{"answer", "y"}});
  const auto second = question();
  const auto states = [&](const std::string& state) {
    std::vector<std::string> ids;
    const json::value list = peer_->ok("prompt.list", {{"state", state}});
    for (const json::value& each : list.as_array()) ids.push_back(text(each.as_object(), "id"));
    return ids;
  };
  EXPECT_THAT(states("open"), testing::ElementsAre(text(second, "id")));
  EXPECT_THAT(states("answered"), testing::ElementsAre(text(first, "id")));
  EXPECT_THAT(states("all"), testing::ElementsAre(text(second, "id"), text(first, "id")));
  EXPECT_EQ("INVALID_PARAM", peer_->code("prompt.list", {{"state", "lost"}}));
}

constexpr const char* kRules = R"(prompts:
  rules:
    - text: '^Delete'
      action: ask
    - type: YES_NO
      text: 'part \d'
      answer: 'yes'
      max: 2
    - text: 'newsletter'
      action: ignore
)";

TEST_F(PromptLife, ARuleAnswersAsOftenAsItMay) {
  id_ = run(
      *peer_,
      "for i in 1 2 3; do printf \"Install part $i? (y/n) \"; read a; echo \"part $i: $a.\"; done; sleep 60",
      {{"settings", kRules}});
  EXPECT_TRUE(prints("part 2: y."));
  json::object third;
  ASSERT_TRUE(support::wait_until([&] {
    third = question();
    return text(third, "question").find("part 3") != std::string::npos;
  }));
  EXPECT_EQ("prompts.rules[1]", text(third, "rule"));
  ASSERT_TRUE(support::wait_until([&] { return audit().size() == 2; }));
  const json::array rows = audit();
  EXPECT_EQ("policy", text(rows[0].as_object(), "channel"));
  EXPECT_EQ("accepted; by prompts.rules[1]", text(rows[0].as_object(), "summary"));
}

TEST_F(PromptLife, WhatARuleIgnoresWaitsForNobody) {
  id_ = run(*peer_, "printf 'Want our newsletter? (y/n) '; read a; sleep 60", {{"settings", kRules}});
  ASSERT_TRUE(support::wait_until(
      [&] { return !peer_->ok("prompt.list", {{"state", "cancelled"}}).as_array().empty(); }));
  EXPECT_TRUE(peer_->ok("prompt.list").as_array().empty());
  EXPECT_TRUE(session(*peer_, id_).at("prompt").is_null());
}

TEST_F(PromptLife, ARuleNeverAnswersForASecret) {
  const auto prompt = asks("stty -echo; printf 'Password for part 1: '; read a; sleep 60",
                           "prompts:\n  rules:\n    - answer: 'hunter2'\n");
  EXPECT_TRUE(prompt.at("secret").as_bool());
  EXPECT_TRUE(prompt.at("rule").is_null());
}

}  // namespace
}  // namespace host_test
