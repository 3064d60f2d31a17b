// SPDX-License-Identifier: Apache-2.0
// A Bot API server that fails, lies, stalls and repeats itself; a channel and a daemon that are killed.
#include <algorithm>
#include <csignal>

#include "channel_fixture.h"

namespace channel_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class TelegramFaults : public ChannelTest {
 protected:
  // The service has what was sent; the channel must have heard so, and have it written down.
  bool remembers_all(const std::vector<int64_t>& people) {
    std::vector<std::string> keys;
    const json::value prompts = peer_->ok("prompt.list");
    for (const json::value& each : prompts.as_array())
      for (const int64_t person : people)
        keys.push_back(fmt::format("message {} {}", std::string(each.at("id").as_string()), person));
    return support::wait_until([&] {
      const std::string kept = support::read_file(home_.file("state/store.db")) +
                               support::read_file(home_.file("state/store.db-wal"));
      return std::ranges::all_of(keys, [&](const std::string& each) { return kept.contains(each); });
    });
  }

  // Somebody can still be asked and answer.
  void expect_working(const std::string& name) {
    const std::string id =
        asks("read -p 'Work on " + name + "? [y/N] ' a; echo \"got <$a>\"; sleep 600", name);
    const auto ann = server_.message(kAnn, "Work on " + name);
    ASSERT_TRUE(ann);
    server_.press(kAnn, *ann, "Yes");
    EXPECT_TRUE(prints(id, "got <y>"));
    EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got <"), 1U);
  }
};

TEST_F(TelegramFaults, TooManyRequestsWaitsAsLongAsItIsTold) {
  server_.fail("sendMessage", too_many(2));
  asks_yes_no();
  ASSERT_TRUE(server_.message(kAnn, "Deploy?"));
  const auto calls = server_.calls("sendMessage");
  ASSERT_GE(calls.size(), 2U);
  EXPECT_GE(calls[1].at - calls[0].at, seconds(2));
  EXPECT_EQ(server_.messages(kAnn).size(), 1U);
  server_.fail("getUpdates", too_many(1));
  expect_working("after429");
}

TEST_F(TelegramFaults, AServerThatFailsIsTriedLaterAndLaterAndSaysSoInTheStatus) {
  ASSERT_TRUE(becomes_state("good"));
  server_.fail("getUpdates", internal_error(), 3);
  ASSERT_TRUE(becomes_state("troubled"));
  EXPECT_THAT(home_.tend({"status"}).output,
              HasSubstr("degraded: the channel telegram is troubled: status 500"));
  EXPECT_THAT(home_.tend({"daemon", "status", "--json"}).output, HasSubstr("\"state\":\"troubled\""));
  ASSERT_TRUE(becomes_state("good"));
  const auto calls = server_.calls("getUpdates");
  // The last four: failed, failed, failed, and what came after 1, 2 and 4 seconds.
  size_t pauses = 0;
  for (size_t i = 1; i < calls.size(); i++)
    pauses += calls[i].at - calls[i - 1].at > milliseconds(3900) ? 1 : 0;
  EXPECT_EQ(pauses, 1U);
  expect_working("after500");
}

TEST_F(TelegramFaults, AnotherPollerIsToldAndComesToAnEnd) {
  ASSERT_TRUE(becomes_state("good"));
  server_.fail("getUpdates", conflict(), 2);
  ASSERT_TRUE(becomes_state("troubled"));
  EXPECT_THAT(std::string(channel().at("detail").as_string()),
              HasSubstr("another program polls with this token"));
  ASSERT_TRUE(becomes_state("good"));
  expect_working("after409");
}

TEST_F(TelegramFaults, AServerThatNeverAnswersIsGivenUpInTime) {
  server_.fail("sendMessage", {.kind = Fault::Kind::silence}, 1);
  server_.fail("sendMessage", {.kind = Fault::Kind::trickle}, 1);
  server_.fail("sendMessage", {.kind = Fault::Kind::hang_up}, 1);
  asks_yes_no();
  ASSERT_TRUE(server_.message(kAnn, "Deploy?"));
  server_.heal();
  expect_working("afterSilence");
}

TEST_F(TelegramFaults, ABodyWithoutEndIsNotRead) {
  ASSERT_TRUE(becomes_state("good"));
  server_.fail("getUpdates", {.kind = Fault::Kind::flood});
  ASSERT_TRUE(becomes_state("troubled"));
  EXPECT_THAT(std::string(channel().at("detail").as_string()), HasSubstr("more than it may"));
  expect_working("afterFlood");
}

TEST_F(TelegramFaults, LiesComeToNothing) {
  ASSERT_TRUE(becomes_state("good"));
  server_.hold = milliseconds(50);
  for (
      const char* lie :
      {"null", R"({"ok":"yes","result":[]})", R"({"ok":true,"result":7})",
       R"({"ok":true,"result":[7,null,{"update_id":"x"},{"update_id":-1},{"update_id":1e300}]})",
       R"({"ok":true,"result":[{"update_id":90,"message":{"from":7}},{"update_id":91,"callback_query":[]}]})",
       R"({"ok":true,"result":[{"update_id":93,"callback_query":{"id":"q","from":{"id":1001},"data":"1x"}}]})"}) {
    const size_t before = server_.calls("getUpdates").size();
    server_.fail("getUpdates", says(lie));
    // The poll that is under way, the lie, and one that is good again.
    ASSERT_TRUE(support::wait_until([&] { return server_.calls("getUpdates").size() > before + 2; })) << lie;
  }
  server_.fail("sendMessage", says(R"({"ok":true,"result":{"message_id":"7"}})"));
  const std::string id = asks_yes_no("liar");
  // A message whose number nobody knows cannot be changed, but its button works.
  ASSERT_TRUE(server_.message(kBob, "Deploy?"));
  expect_working("afterLies");
  EXPECT_EQ(channel().at("restarts"), 0);
}

TEST_F(TelegramFaults, UpdatesThatComeTwiceAndOutOfOrderAnswerOnce) {
  const std::string id = asks(
      "for i in 1 2 3; do read -p \"Step $i? [y/N] \" a; echo \"got $i <$a>\"; done; sleep 600", "steps");
  for (const char* step : {"Step 1?", "Step 2?", "Step 3?"}) {
    const auto ann = server_.message(kAnn, step);
    ASSERT_TRUE(ann) << step;
    server_.press(kAnn, *ann, "Yes");
    server_.press(kAnn, *ann, "Yes");
    server_.repeat_updates();
  }
  EXPECT_TRUE(prints(id, "got 3 <y>"));
  server_.repeat_updates();
  expect_working("afterRepeats");
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got "), 3U);
}

TEST_F(TelegramFaults, AChannelThatIsKilledGoesOnWhereItWas) {
  const std::string id = asks_yes_no();
  const auto ann = server_.message(kAnn, "Deploy?");
  ASSERT_TRUE(ann);
  ASSERT_TRUE(server_.message(kBob, "Deploy?"));
  server_.say(kAnn, "/help");
  ASSERT_TRUE(server_.message(kAnn, "/sessions"));
  const pid_t first = channel_pid();
  ASSERT_EQ(0, ::kill(first, SIGKILL));
  ASSERT_TRUE(support::wait_until([&] { return channel_pid() != 0 && channel_pid() != first; }));
  ASSERT_TRUE(becomes_state("good"));
  // The button of before is good, the message is changed in place, and nothing is said twice.
  server_.press(kAnn, *ann, "Yes");
  EXPECT_TRUE(prints(id, "got <y>"));
  EXPECT_TRUE(server_.message(kAnn, "Answered by @user1001"));
  EXPECT_TRUE(server_.message(kBob, "Answered by @user1001"));
  EXPECT_EQ(server_.messages(kBob).size(), 1U);
  EXPECT_EQ(server_.messages(kAnn).size(), 2U);
  const auto polls = server_.calls("getUpdates");
  EXPECT_GE(polls.back().params.at("offset").as_int64(), 101);
}

TEST_F(TelegramFaults, ADaemonThatIsKilledLeavesNothingUntold) {
  const std::string stays = asks_yes_no("stays");
  const std::string goes = asks("read -p 'Shall it go? [y/N] ' a; sleep 600", "goes");
  const auto ann = server_.message(kAnn, "Deploy?");
  ASSERT_TRUE(ann);
  ASSERT_TRUE(server_.message(kBob, "Deploy?"));
  ASSERT_TRUE(server_.message(kAnn, "Shall it go?"));
  ASSERT_TRUE(server_.message(kBob, "Shall it go?"));
  ASSERT_TRUE(remembers_all({kAnn, kBob}));
  const pid_t daemon = daemon_pid(*peer_);
  const pid_t before = channel_pid();
  ASSERT_EQ(0, ::kill(daemon, SIGKILL));
  // It does not outlive its daemon.
  EXPECT_TRUE(support::wait_until([&] { return ::kill(before, 0) != 0; }));
  wait_for_another(daemon);
  peer_.emplace(peer());
  ASSERT_TRUE(becomes_state("good"));
  peer_->ok("session.kill", {{"session", "goes"}});
  EXPECT_TRUE(server_.message(kAnn, "Expired"));
  EXPECT_TRUE(server_.message(kBob, "Expired"));
  server_.press(kAnn, *ann, "No");
  EXPECT_TRUE(prints(stays, "got <n>"));
  EXPECT_TRUE(server_.message(kBob, "Answered by @user1001"));
  EXPECT_EQ(server_.messages(kAnn).size(), 2U);
}

TEST_F(TelegramFaults, WhatEndsWhileNoChannelRunsIsToldByTheNext) {
  asks_yes_no();
  ASSERT_TRUE(server_.message(kAnn, "Deploy?"));
  const auto bob = server_.message(kBob, "Deploy?");
  ASSERT_TRUE(bob);
  ASSERT_TRUE(remembers_all({kBob}));
  const auto prompt = peer_->ok("prompt.list").as_array().at(0);
  const pid_t first = channel_pid();
  ASSERT_EQ(0, ::kill(first, SIGSTOP));
  peer_->ok("prompt.answer", {{"prompt_id", prompt.at("id")}, {"answer", "no"}});
  ASSERT_EQ(0, ::kill(first, SIGKILL));
  EXPECT_TRUE(server_.message(kAnn, "Answered by tester."));
  EXPECT_TRUE(server_.message(kBob, "Answered by tester."));
  EXPECT_EQ(server_.messages(kBob).size(), 1U);
}

TEST_F(TelegramFaults, APressWhoseTellingIsLostIsStillDone) {
  const std::string id = asks_yes_no();
  const auto ann = server_.message(kAnn, "Deploy?");
  ASSERT_TRUE(ann);
  server_.fail("answerCallbackQuery", {.kind = Fault::Kind::lost});
  server_.fail("editMessageText", too_many(1));
  server_.press(kAnn, *ann, "Yes");
  EXPECT_TRUE(prints(id, "got <y>"));
  EXPECT_TRUE(server_.message(kAnn, "Answered by @user1001"));
  EXPECT_EQ(count_of(DaemonTest::output(*peer_, id), "got <"), 1U);
}

TEST_F(TelegramFaults, MessagesKeepToThePaceOfEachUser) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; i++)
    ids.push_back(asks(fmt::format("read -p 'Number {}? [y/N] ' a; sleep 600", i), fmt::format("s{}", i)));
  ASSERT_TRUE(support::wait_until([&] { return server_.messages(kAnn).size() == 3; }));
  // The fourth comes six seconds later, unless it is answered by then.
  const auto third = std::chrono::steady_clock::now();
  ASSERT_TRUE(support::wait_until([&] { return server_.messages(kAnn).size() == 4; }));
  EXPECT_GT(std::chrono::steady_clock::now() - third, seconds(3));
  EXPECT_TRUE(support::wait_until([&] { return server_.messages(kBob).size() == 4; }));
  const json::value open = peer_->ok("prompt.list");
  for (const json::value& each : open.as_array())
    peer_->ok("prompt.answer", {{"prompt_id", each.at("id")}, {"cancel", true}});
  ASSERT_TRUE(server_.message(kAnn, "Cancelled by tester"));
  expect_working("afterPace");
  EXPECT_EQ(server_.messages(kAnn).size(), 5U);
}

}  // namespace
}  // namespace channel_test
