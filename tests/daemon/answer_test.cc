// SPDX-License-Identifier: Apache-2.0
// Questions of real programs, answered by their id.
#include <gmock/gmock.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

using testing::HasSubstr;

class AnswerTest : public DaemonTest {
 protected:
  // Starts it and waits for its question.
  json::object asks(const std::vector<std::string>& command) {
    json::array words(command.begin(), command.end());
    id_ = std::string(peer_->ok("session.create", {{"command", words}}).at("id").as_string());
    return next_question();
  }
  json::object next_question() {
    const auto came = peer_->ok("pty.wait", {{"session", id_}, {"until", "waiting"}, {"timeout_ms", 60'000}});
    return came.at("prompt").is_object() ? came.at("prompt").as_object() : json::object{{"id", ""}};
  }
  json::object answer(const json::object& prompt, json::object params) {
    params["prompt_id"] = prompt.at("id");
    return peer_->ok("prompt.answer", std::move(params)).as_object();
  }
  std::string refusal(const json::object& prompt, json::object params) {
    params["prompt_id"] = prompt.at("id");
    return peer_->code("prompt.answer", std::move(params));
  }
  bool prints(std::string_view text) { return DaemonTest::prints(*peer_, id_, text); }
  json::object last_row() {
    const auto rows = peer_->ok("audit.show", {{"action", "answer"}, {"newest_first", true}, {"limit", 1}});
    return rows.as_array().at(0).as_object();
  }

  void SetUp() override {
    DaemonTest::SetUp();
    peer_.emplace(peer());
  }
  std::optional<Peer> peer_;
  std::string id_;
};

TEST_F(AnswerTest, AYesNoQuestionOfBashGetsItsLetterAndEnter) {
  const auto prompt = asks({"bash", "-c", "read -p 'Continue? [y/N] ' a; echo \"got <$a>\"; sleep 60"});
  EXPECT_EQ(answer(prompt, {{"answer", "yes"}}).at("bytes"), 2);
  EXPECT_TRUE(prints("got <y>"));
  EXPECT_EQ(last_row().at("text").as_string(), "y\r");
  EXPECT_EQ(last_row().at("session").as_string(), id_);
}

TEST_F(AnswerTest, AQuestionForOneKeyGetsNoEnter) {
  const auto prompt = asks(
      {"bash", "-c", "read -n 1 -p 'Overwrite? (y/n) ' a; read -t 1 b; echo; echo \"got <$a$b>\"; sleep 60"});
  answer(prompt, {{"answer", "n"}});
  EXPECT_TRUE(prints("got <n>"));
}

TEST_F(AnswerTest, EnterAloneTakesTheDefault) {
  const auto prompt = asks({"bash", "-c", "read -p 'Name [Ada]: ' a; echo \"got <${a:-Ada}>\"; sleep 60"});
  EXPECT_EQ(answer(prompt, {}).at("bytes"), 1);
  EXPECT_TRUE(prints("got <Ada>"));
}

TEST_F(AnswerTest, TextIsSentAsItIsAndMustBeOneLine) {
  const auto prompt = asks({"bash", "-c", "read -r -p 'Your name: ' a; echo \"got <$a>\"; sleep 60"});
  EXPECT_EQ("INVALID_PARAM", refusal(prompt, {{"answer", "a\rrm x"}}));
  EXPECT_EQ("INVALID_PARAM", refusal(prompt, {{"answer", "a"}, {"choice", 1}}));
  EXPECT_EQ("INVALID_PARAM", refusal(prompt, {{"choice", 1}}));
  EXPECT_EQ("INVALID_PARAM", refusal(prompt, {{"keys", {"NoKey"}}}));
  answer(prompt, {{"answer", "C-c Enter $HOME ü"}});
  EXPECT_TRUE(prints("got <C-c Enter $HOME ü>"));
}

TEST_F(AnswerTest, APasswordIsNotInTheAudit) {
  const auto prompt = asks({"python3", "-c",
                            "import getpass, time; p = getpass.getpass('Password: '); print('got', len(p)); "
                            "time.sleep(60)"});
  EXPECT_TRUE(prompt.at("secret").as_bool());
  answer(prompt, {{"answer", "hunter2!"}});
  EXPECT_TRUE(prints("got 8"));
  const json::object row = last_row();
  EXPECT_TRUE(row.at("secret").as_bool());
  EXPECT_EQ(json::serialize(row).find("hunter2"), std::string::npos);
}

TEST_F(AnswerTest, AMenuOfSelectIsAnsweredByItsNumber) {
  const auto prompt =
      asks({"bash", "-c", "select a in red green blue; do echo \"got <$a>\"; break; done; sleep 60"});
  EXPECT_EQ(prompt.at("type").as_string(), "MULTIPLE_CHOICE");
  EXPECT_EQ("INVALID_PARAM", refusal(prompt, {{"choice", 4}}));
  answer(prompt, {{"choice", 3}});
  EXPECT_TRUE(prints("got <blue>"));
}

TEST_F(AnswerTest, AMenuInABoxIsAnsweredWithArrowsFromWhatIsHighlightedNow) {
  const auto prompt =
      asks({"bash", "-c",
            "chosen=$(whiptail --menu 'Which colour?' 15 40 4 red Rot green Gruen blue Blau 3>&1 1>&2 2>&3); "
            "clear; echo \"got <$chosen>\"; sleep 60"});
  ASSERT_EQ(prompt.at("type").as_string(), "MULTIPLE_CHOICE");
  // Somebody has moved on meanwhile.
  const auto moved = peer_->ok("pty.write", {{"session", id_}, {"keys", {"Down"}}}).at("offset");
  ASSERT_TRUE(support::wait_until([&] {
    const auto list = peer_->ok("prompt.list").as_array();
    return list.size() == 1 && list.at(0).at("default").as_string().starts_with("green");
  }));
  EXPECT_GT(moved.as_int64(), 0);
  answer(peer_->ok("prompt.list").as_array().at(0).as_object(), {{"choice", 3}});
  EXPECT_TRUE(prints("got <blue>"));
}

TEST_F(AnswerTest, AYesNoBoxIsAnsweredByTheNameOfItsButton) {
  const auto prompt =
      asks({"bash", "-c", "dialog --yesno 'Really?' 7 40; code=$?; clear; echo \"got <$code>\"; sleep 60"});
  ASSERT_EQ(prompt.at("type").as_string(), "YES_NO");
  answer(prompt, {{"answer", "no"}});
  EXPECT_TRUE(prints("got <1>"));
}

TEST_F(AnswerTest, AListOfFzfIsAnsweredByTheLabelOfAnEntry) {
  const auto prompt =
      asks({"bash", "-c", "a=$(printf 'one\\ntwo\\nthree\\n' | fzf --sync); echo \"got <$a>\"; sleep 60"});
  ASSERT_EQ(prompt.at("type").as_string(), "MULTIPLE_CHOICE");
  EXPECT_EQ(prompt.at("choices").as_array().size(), 3U);
  EXPECT_EQ("INVALID_PARAM", refusal(prompt, {{"answer", "four"}}));
  answer(prompt, {{"answer", "three"}});
  EXPECT_TRUE(prints("got <three>"));
}

TEST_F(AnswerTest, KeysAreSentAndNothingBehindThem) {
  const auto prompt = asks({"bash", "-c", "read -p 'Sure? (y/n) ' a; echo \"got <$a>\"; sleep 60"});
  EXPECT_EQ(answer(prompt, {{"keys", {"n", "o", "Enter"}}}).at("bytes"), 3);
  EXPECT_TRUE(prints("got <no>"));
}

TEST_F(AnswerTest, AQuestionIsAnsweredOnce) {
  const auto prompt = asks(
      {"bash", "-c", "read -p 'First? (y/n) ' a; read -p 'Second? (y/n) ' b; echo \"got <$a$b>\"; sleep 60"});
  answer(prompt, {{"answer", "y"}});
  EXPECT_EQ("PROMPT_STALE", refusal(prompt, {{"answer", "n"}}));
  ASSERT_TRUE(prints("Second?"));
  json::object second;
  ASSERT_TRUE(support::wait_until([&] {
    second = next_question();
    return second.at("id") != prompt.at("id");
  }));
  EXPECT_EQ("PROMPT_STALE", refusal(prompt, {{"answer", "n"}}));
  answer(second, {{"answer", "n"}});
  EXPECT_TRUE(prints("got <yn>"));
  EXPECT_EQ("PROMPT_STALE", refusal(second, {{"answer", "n"}}));
}

// Two at the same time: one of them is told that it was too late.
TEST_F(AnswerTest, OfTwoAnswersAtOnceOneIsTaken) {
  const auto prompt =
      asks({"bash", "-c", "read -p 'Who? (y/n) ' a; read -t 2 b; echo \"got <$a|$b>\"; sleep 60"});
  Peer other = peer("other");
  const uint64_t first =
      peer_->client().send("prompt.answer", {{"prompt_id", prompt.at("id")}, {"answer", "y"}});
  const uint64_t second =
      other.client().send("prompt.answer", {{"prompt_id", prompt.at("id")}, {"answer", "y"}});
  const auto a = peer_->answer(first);
  const auto b = other.answer(second);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->result.has_value(), b->result.has_value());
  EXPECT_TRUE(prints("got <y|>"));
}

TEST_F(AnswerTest, WhatWasNeverAskedIsNotFound) {
  EXPECT_EQ("PROMPT_NOT_FOUND", peer_->code("prompt.answer", {{"prompt_id", "0123456789abcdef"}}));
}

}  // namespace
}  // namespace host_test
