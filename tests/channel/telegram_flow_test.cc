// SPDX-License-Identifier: Apache-2.0
// Prompts of real programs in a real daemon, seen and answered over Telegram.
#include <csignal>

#include "channel_fixture.h"

namespace channel_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class TelegramFlow : public ChannelTest {};

TEST_F(TelegramFlow, EveryUserGetsAMessageAndAButtonAnswers) {
  const std::string id = asks_yes_no();
  const auto ann = server_.message(kAnn, "Deploy?");
  ASSERT_TRUE(ann);
  ASSERT_TRUE(server_.message(kBob, "Deploy?"));
  EXPECT_THAT(ann->text, HasSubstr("<b>web</b> asks:"));
  server_.press(kAnn, *ann, "Yes");
  EXPECT_TRUE(prints(id, "got <y>")) << json::serialize(ann->markup);
  ASSERT_TRUE(server_.message(kAnn, "Answered by @user1001."));
  const auto bob = server_.message(kBob, "Answered by @user1001.");
  ASSERT_TRUE(bob);
  EXPECT_TRUE(bob->markup.empty());
  EXPECT_EQ(server_.messages(kBob).size(), 1U);
  const auto row = rows("answer").at(0);
  EXPECT_EQ(row.at("agent"), "telegram:1001");
  EXPECT_EQ(row.at("text"), "y\r");
}

TEST_F(TelegramFlow, TwoUsersRaceAndTheSlowerHearsWhoWasFaster) {
  const std::string id = asks_yes_no();
  const auto ann = server_.message(kAnn, "Deploy?");
  const auto bob = server_.message(kBob, "Deploy?");
  ASSERT_TRUE(ann && bob);
  server_.press(kAnn, *ann, "Yes");
  server_.press(kBob, *bob, "No");
  ASSERT_TRUE(support::wait_until([&] { return server_.alerts().size() >= 2; }));
  EXPECT_THAT(server_.alerts(), Contains("Done."));
  EXPECT_THAT(server_.alerts(), Contains(HasSubstr("answered by @user")));
  const std::string output = DaemonTest::output(*peer_, id);
  EXPECT_EQ(count_of(output, "got <"), 1U) << output;
}

TEST_F(TelegramFlow, TextAnswersWhereOnlyOnePromptIsOpenAndMustBeAReplyWhereThereAreMore) {
  const std::string first = asks("read -r -p 'Your name: ' a; echo \"got <$a>\"; sleep 600", "one");
  const auto one = server_.message(kAnn, "Your name");
  ASSERT_TRUE(one);
  const std::string second = asks("read -r -p 'Your colour: ' a; echo \"got <$a>\"; sleep 600", "two");
  const auto two = server_.message(kAnn, "Your colour");
  ASSERT_TRUE(two);
  server_.say(kAnn, "blue");
  EXPECT_TRUE(server_.message(kAnn, "More than one prompt is open"));
  server_.say(kAnn, "/red & <green>", two->id);
  EXPECT_TRUE(prints(second, "got </red & <green>>"));
  ASSERT_TRUE(server_.message(kAnn, "Answered by @user1001"));
  server_.say(kAnn, "Ada");
  EXPECT_TRUE(prints(first, "got <Ada>"));
}

TEST_F(TelegramFlow, AReplyToAPromptThatHasEndedHearsHowItEnded) {
  const std::string id = asks_yes_no();
  const auto ann = server_.message(kAnn, "Deploy?");
  const auto bob = server_.message(kBob, "Deploy?");
  ASSERT_TRUE(ann && bob);
  server_.press(kAnn, *ann, "No");
  ASSERT_TRUE(server_.message(kBob, "Answered by"));
  server_.say(kBob, "yes", bob->id);
  EXPECT_TRUE(server_.message(kBob, "too late: answered by @user1001"));
  server_.press(kBob, *bob, "Yes");
  EXPECT_TRUE(support::wait_until(
      [&] { return count_of(testing::PrintToString(server_.alerts()), "too late") == 1; }));
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got <"), 1U);
}

TEST_F(TelegramFlow, StrangersAreIgnoredAndStandInTheAudit) {
  const std::string id = asks_yes_no();
  const auto ann = server_.message(kAnn, "Deploy?");
  ASSERT_TRUE(ann);
  server_.press(6666, *ann, "Yes");
  server_.say(6666, "yes");
  server_.say(6666, "/sessions");
  // A group in which somebody is allowed, and somebody's message that another sends on.
  server_.say(kAnn, "yes", 0, {{"chat", {{"id", -5}, {"type", "group"}}}});
  ASSERT_TRUE(support::wait_until([&] { return rows("refused").size() >= 3; }));
  EXPECT_EQ(rows("refused").at(0).at("agent"), "telegram:6666");
  EXPECT_EQ(rows("refused").at(0).at("result"), "PTY_ACCESS_DENIED");
  EXPECT_TRUE(server_.messages(6666).empty());
  EXPECT_TRUE(server_.alerts().empty());
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got <"), 0U);
  // However often they try, the audit does not fill with it.
  for (int i = 0; i < 200; i++) server_.say(6666, "yes");
  server_.say(kAnn, "/help");
  ASSERT_TRUE(server_.message(kAnn, "/sessions"));
  EXPECT_LT(rows("refused").size(), 10U);
}

TEST_F(TelegramFlow, WhatIsTypedAtTheTerminalChangesTheMessages) {
  const std::string id = asks_yes_no();
  ASSERT_TRUE(server_.message(kAnn, "Deploy?"));
  Peer person = peer("person");
  person.attach({{"session", id}});
  person.type("n\r");
  EXPECT_TRUE(server_.message(kAnn, "Answered by person."));
  EXPECT_TRUE(server_.message(kBob, "Answered by person."));
}

TEST_F(TelegramFlow, AMenuHasAButtonForEachEntry) {
  const std::string id =
      asks("select a in red green blue; do echo \"got <$a>\"; break; done; sleep 600", "menu");
  const auto ann = server_.message(kAnn, "green");
  ASSERT_TRUE(ann);
  server_.press(kAnn, *ann, "2: green");
  EXPECT_TRUE(prints(id, "got <green>")) << json::serialize(ann->markup);
}

TEST_F(TelegramFlow, ASecretIsAnsweredElsewhereAndTheDaemonRefusesItHere) {
  const std::string id = asks("read -s -p 'Password: ' a; echo; echo \"got ${#a}\"; sleep 600", "safe");
  const auto ann = server_.message(kAnn, "asks for a secret");
  ASSERT_TRUE(ann);
  EXPECT_THAT(ann->text, HasSubstr("at the terminal or in the browser"));
  EXPECT_EQ(json::serialize(ann->markup), R"({"inline_keyboard":[]})");
  server_.say(kAnn, "hunter2", ann->id);
  EXPECT_TRUE(server_.message(kAnn, "a secret is answered at the terminal or in the browser"));
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got"), 0U);
  EXPECT_EQ(json::serialize(rows("answer")).find("hunter2"), std::string::npos);
}

class TelegramSecrets : public ChannelTest {
 protected:
  void SetUp() override {
    configure("prompts: {secrets_remote: true}\n");
    ASSERT_EQ("ok", home_.start());
    peer_.emplace(peer());
  }
};

TEST_F(TelegramSecrets, AreAnsweredHereWhereTheSettingsSaySo) {
  const std::string id = asks("read -s -p 'Password: ' a; echo; echo \"got ${#a}\"; sleep 600", "safe",
                              {{"settings", "prompts: {secrets_remote: true}"}});
  const auto ann = server_.message(kAnn, "Password");
  ASSERT_TRUE(ann);
  EXPECT_THAT(ann->text, Not(HasSubstr("at the terminal or in the browser")));
  server_.say(kAnn, "hunter2-of-ann", ann->id);
  EXPECT_TRUE(prints(id, "got 14"));
  EXPECT_TRUE(server_.message(kAnn, "Answered by @user1001."));
  // It does not stay in the chat, and is nowhere else.
  EXPECT_TRUE(support::wait_until([&] { return server_.calls("deleteMessage").size() == 1; }));
  for (const auto& each : std::filesystem::recursive_directory_iterator(home_.path())) {
    if (!each.is_regular_file()) continue;
    EXPECT_THAT(support::read_file(each.path()), Not(HasSubstr("hunter2-of-ann"))) << each.path();
  }
}

// The daemon's word counts, whatever a channel believes.
TEST_F(TelegramSecrets, AreRefusedWhereTheSessionsSettingsSaySo) {
  const std::string id = asks("read -s -p 'Password: ' a; echo; echo \"got ${#a}\"; sleep 600", "safe",
                              {{"settings", "prompts: {secrets_remote: false}"}});
  const auto ann = server_.message(kAnn, "Password");
  ASSERT_TRUE(ann);
  server_.say(kAnn, "hunter2", ann->id);
  EXPECT_TRUE(server_.message(kAnn, "a secret is answered at the terminal or in the browser"));
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got"), 0U);
}

TEST_F(TelegramFlow, AnUnknownQuestionIsTheNoticeOfTheDesign) {
  const std::string id = asks(
      "echo 'Do you want to continue with the migration'; read a; echo \"got <$a>\"; sleep 600", "migrate");
  const auto ann = server_.message(kAnn, "tend detected a possible input request.");
  ASSERT_TRUE(ann);
  EXPECT_THAT(ann->text,
              HasSubstr("\n\nLast output (last 200 chars):\n  &gt; Do you want to continue with the "
                        "migration\n\nWhat should I do?"));
  server_.press(kAnn, *ann, "SHOW LAST OUTPUT");
  EXPECT_TRUE(server_.message(kAnn, "<pre>Do you want to continue"));
  server_.press(kAnn, *ann, "SEND ENTER");
  EXPECT_TRUE(prints(id, "got <>"));
}

TEST_F(TelegramFlow, CancelSendsNothing) {
  const std::string id = asks_yes_no();
  const auto ann = server_.message(kAnn, "Deploy?");
  ASSERT_TRUE(ann);
  server_.press(kAnn, *ann, "Cancel");
  EXPECT_TRUE(server_.message(kBob, "Cancelled by @user1001."));
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got"), 0U);
}

TEST_F(TelegramFlow, SessionsScreensAndHelpCanBeAskedFor) {
  const std::string id = asks("echo '<b>&amp; hello'; sleep 600", "web");
  ASSERT_TRUE(prints(id, "hello"));
  server_.say(kAnn, "/sessions");
  EXPECT_TRUE(server_.message(kAnn, "<b>web</b> working"));
  server_.say(kAnn, "/screen@tend_test_bot web");
  EXPECT_TRUE(server_.message(kAnn, "<pre>&lt;b&gt;&amp;amp; hello</pre>"));
  server_.say(kAnn, "/screen nosuch");
  EXPECT_TRUE(server_.message(kAnn, "there is no session"));
  server_.say(kBob, "/help");
  EXPECT_TRUE(server_.message(kBob, "/screen NAME"));
}

TEST_F(TelegramFlow, AMessageOfLongAgoAnswersNothing) {
  const std::string id = asks_yes_no();
  ASSERT_TRUE(server_.message(kAnn, "Deploy?"));
  server_.say(kAnn, "yes", 0, {{"date", std::time(nullptr) - 3600}});
  EXPECT_TRUE(server_.message(kAnn, "That came before it was asked"));
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got"), 0U);
}

TEST_F(TelegramFlow, ATestMessageReachesEverybody) {
  ASSERT_TRUE(becomes_state("good"));
  const auto result = peer_->ok("channel.test").as_array().at(0);
  EXPECT_TRUE(result.at("ok").as_bool()) << json::serialize(result);
  EXPECT_TRUE(server_.message(kAnn, "This is a test of tend"));
  EXPECT_TRUE(server_.message(kBob, "This is a test of tend"));
}

TEST_F(TelegramFlow, NobodyElseMayCallThemselvesTelegram) {
  auto client = wire::Client::connect(home_.socket(), {.agent = "telegram:1001", .channel = "telegram"});
  ASSERT_TRUE(client);
  const auto refused = client->call("prompt.list", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::pty_access_denied);
  EXPECT_EQ("PTY_ACCESS_DENIED", peer_->code("channel.report", {{"state", "good"}}));
  EXPECT_EQ("PTY_ACCESS_DENIED", peer_->code("channel.remember", {{"key", "offset"}, {"value", "1"}}));
  EXPECT_EQ("PTY_ACCESS_DENIED", peer_->code("channel.recall"));
}

TEST_F(TelegramFlow, TheTokenIsNowhereToBeSeen) {
  asks_yes_no();
  ASSERT_TRUE(server_.message(kAnn, "Deploy?"));
  server_.fail("getUpdates", says("{\"ok\":false,\"error_code\":400,\"description\":\"bad " + kToken + "\"}"),
               3);
  server_.fail("sendMessage", internal_error(), 1);
  server_.say(kAnn, "/help");
  ASSERT_TRUE(becomes_state("troubled"));
  EXPECT_THAT(json::serialize(channel()), Not(HasSubstr(kToken)));
  ASSERT_TRUE(becomes_state("good"));
  for (const char* name : {"state/daemon.log", "state/channel-telegram.log"})
    EXPECT_THAT(support::read_file(home_.file(name)), Not(HasSubstr(kToken))) << name;
  for (const std::string& part : {std::string("/cmdline"), std::string("/environ")})
    EXPECT_THAT(support::read_file("/proc/" + std::to_string(channel_pid()) + part), Not(HasSubstr(kToken)));
  EXPECT_THAT(home_.tend({"config", "show"}).output, Not(HasSubstr(kToken)));
  EXPECT_EQ(server_.strangers(), 0);
}

TEST_F(TelegramFlow, APromptThatIsAnsweredBeforeAnybodyHearsOfItBothersNobody) {
  ASSERT_TRUE(becomes_state("good"));
  json::object more{{"settings", "prompts: {rules: [{text: Deploy, answer: 'yes'}]}"}};
  const std::string id = asks("read -p 'Deploy? [y/N] ' a; echo \"got <$a>\"; sleep 600", "web", more);
  EXPECT_TRUE(prints(id, "got <y>"));
  const std::string other = asks("read -p 'Really? [y/N] ' a; sleep 600", "other");
  ASSERT_TRUE(server_.message(kAnn, "Really?"));
  EXPECT_EQ(server_.messages(kAnn).size(), 1U);
}

}  // namespace
}  // namespace channel_test
