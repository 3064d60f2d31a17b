// SPDX-License-Identifier: Apache-2.0
// tend answer and tend prompts on the real program, with programs that ask.
#include <gmock/gmock.h>

#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using testing::HasSubstr;
using testing::MatchesRegex;

class AnswerCommand : public SessionTest {
 protected:
  // A program that asks this, then says what it got. Gives the prompt's id.
  std::string asks(const std::string& question, const std::string& variables = "") {
    const Said said = says(
        "run -d -n asks -- sh -c 'printf \"" + question + " \"; read a; echo \"got <$a>\"; exec sleep 60'",
        variables);
    EXPECT_EQ(0, said.code) << said.err;
    return open_prompt();
  }
  std::string open_prompt() {
    std::string id;
    EXPECT_TRUE(support::wait_until([&] {
      const Json list = json_of("prompts asks --json");
      if (list.array().size() == 1) id = list[0]["id"].string();
      return !id.empty();
    }));
    return id;
  }
  bool got(const std::string& text) {
    return says("wait asks --until \"text=got <" + text + ">\" --timeout 60000").code == 0;
  }
};

TEST_F(AnswerCommand, AValueIsSentAndNothingIsSaidWhereAllIsWell) {
  const std::string id = asks("Continue? (y/n)");
  const Said said = says("answer " + id + " yes");
  EXPECT_EQ(0, said.code) << said.err;
  EXPECT_EQ("", said.out + said.err);
  EXPECT_TRUE(got("y"));
  const Said again = says("answer " + id + " no");
  EXPECT_EQ(1, again.code);
  EXPECT_THAT(again.err, HasSubstr("the prompt is answered by "));
  EXPECT_THAT(again.err, HasSubstr("accepted"));
}

TEST_F(AnswerCommand, EnterTakesTheDefault) {
  const std::string id = asks("Name [Ada]:");
  EXPECT_EQ(0, says("answer " + id + " --enter").code);
  EXPECT_TRUE(got(""));
}

TEST_F(AnswerCommand, KeysAndChoicesAreSentAsTheyAre) {
  const std::string id = asks("1) red\\n2) green\\nYour choice [1-2]:");
  EXPECT_EQ(2, says("answer " + id + " --choice 3").code);
  EXPECT_EQ(0, says("answer " + id + " --choice 2").code);
  EXPECT_TRUE(got("2"));
}

TEST_F(AnswerCommand, ALineOfStandardInputIsAValue) {
  const std::string id = asks("Name:");
  EXPECT_EQ(0, says("answer " + id + " -", "printf 'Ada Lovelace\\n' |").code);
  EXPECT_TRUE(got("Ada Lovelace"));
}

TEST_F(AnswerCommand, CancelSendsNothingAndTheQuestionStands) {
  const std::string id = asks("Continue? (y/n)");
  EXPECT_EQ(0, says("answer " + id + " --cancel").code);
  EXPECT_EQ("nothing waits for you\n", says("prompts").err);
  EXPECT_EQ(1, says("answer " + id + " yes").code);
  EXPECT_EQ(0, says("send asks n --enter").code);
  EXPECT_TRUE(got("n"));
}

TEST_F(AnswerCommand, WhatWasNeverAskedIsNotFound) {
  start_cat("api");
  const Said said = says("answer 0123456789abcdef yes");
  EXPECT_EQ(3, said.code);
  // In the words of commands, and not in those of the protocol.
  EXPECT_THAT(said.err, HasSubstr("there is no such prompt; 'tend prompts' has what is asked now"));
  EXPECT_EQ(3, says("prompts explain 0123456789abcdef").code);
}

TEST_F(AnswerCommand, OneWayOfAnsweringIsGiven) {
  const std::string id = asks("Continue? (y/n)");
  for (const char* wrong : {"", "yes --enter", "--cancel --keys y", "yes --choice 1"}) {
    const Said said = says("answer " + id + " " + wrong);
    EXPECT_EQ(2, said.code) << wrong;
    EXPECT_THAT(said.err, HasSubstr("give one of VALUE, --choice, --keys, --enter and --cancel")) << wrong;
  }
  EXPECT_EQ(id, open_prompt());
}

// It asks until it likes the answer, and says that it did not.
TEST_F(AnswerCommand, AnAnswerThatTheProgramDoesNotTakeIsSaidToBeSo) {
  start(
      "asks",
      "while :; do printf \"Continue? (y/n) \"; read a; [ \"$a\" = y ] && break; echo \"Please answer y.\"; "
      "done; echo \"got <$a>\"; exec sleep 60");
  const Said said = says("answer " + open_prompt() + " maybe");
  EXPECT_EQ(1, said.code) << said.out;
  EXPECT_THAT(said.err, HasSubstr("asks the same again"));
  EXPECT_EQ(0, says("answer " + open_prompt() + " y").code);
  EXPECT_TRUE(got("y"));
}

TEST_F(AnswerCommand, AnExpiredPromptTakesNothing) {
  const std::string id = asks("Continue? [y/N]", "TEND_PROMPTS_TIMEOUT_SECONDS=1");
  ASSERT_TRUE(support::wait_until(
      [&] { return json_of("prompts explain " + id + " --json")["state"].string() == "expired"; }));
  const Said said = says("answer " + id + " y");
  EXPECT_EQ(1, said.code);
  EXPECT_THAT(said.err, HasSubstr("the prompt is expired"));
  EXPECT_THAT(says("prompts --all").out, HasSubstr("expired"));
}

TEST_F(AnswerCommand, JsonTellsTheStateAndTheOutcome) {
  const std::string id = asks("Continue? (y/n)");
  const Json answered = json_of("answer " + id + " yes --json");
  EXPECT_EQ(id, answered["prompt_id"].string());
  EXPECT_EQ("answered", answered["state"].string());
  EXPECT_EQ("accepted", answered["outcome"].string());
  EXPECT_EQ(2, answered["bytes"].integer());
  EXPECT_EQ(1, says("answer " + id + " yes --json").code);
}

TEST_F(AnswerCommand, PromptsListsThoseThatHaveEndedToo) {
  const std::string id = asks("Continue? (y/n)");
  EXPECT_THAT(says("prompts").out, HasSubstr("Continue? (y/n)"));
  ASSERT_EQ(0, says("answer " + id + " yes").code);
  EXPECT_EQ("", says("prompts").out);
  EXPECT_EQ(0U, json_of("prompts --json").array().size());
  EXPECT_THAT(says("prompts --all").out, MatchesRegex("SESSION .*STATE .*answered, accepted by .*\n"));
  const Json all = json_of("prompts --all --json");
  ASSERT_EQ(1U, all.array().size());
  EXPECT_EQ(id, all[0]["id"].string());
  EXPECT_EQ("cli", all[0]["channel"].string());
}

TEST_F(AnswerCommand, ExplainTellsHowItIsKnownAndWhatBecameOfIt) {
  const std::string id = asks("Continue? (y/n)");
  const std::string open = says("prompts explain " + id).out;
  for (const char* part : {"asks:0  Continue? (y/n)", "awaiting", "rule: none; a person is asked", "waiting",
                           "kernel", "is blocked in read", "pattern"})
    EXPECT_THAT(open, HasSubstr(part));
  ASSERT_EQ(0, says("answer " + id + " yes").code);
  const std::string ended = says("prompts explain " + id).out;
  EXPECT_THAT(ended, HasSubstr("answered, accepted by "));
  EXPECT_THAT(ended, HasSubstr("(cli)"));
  EXPECT_THAT(ended, HasSubstr("is blocked in read"));
  EXPECT_EQ("answered", json_of("prompts explain " + id + " --json")["state"].string());
}

}  // namespace
}  // namespace cli
