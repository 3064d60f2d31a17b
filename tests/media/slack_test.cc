// SPDX-License-Identifier: Apache-2.0
// Slack beyond the scenarios of the lab: links that break, servers that lie, secrets, tokens, and commands.
#include "lab/slack.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>

#include "media_home.h"

namespace media_test {
namespace {

using lab::Slack;
using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kBotToken = "xoxb-bot-secret-5Vw";
constexpr const char* kAppToken = "xapp-app-secret-9Qz";

class SlackTest : public MediaTest {
 protected:
  void start_slack(const std::string& users = "[U1]", const std::string& more = "") {
    start(fmt::format(
        "channels:\n  slack:\n    bot_token_file: {}\n    app_token_file: {}\n    allowed_users: {}\n"
        "    api_url: {}\n  request_timeout_seconds: 2\n{}",
        secret_file("bot.token", kBotToken), secret_file("app.token", kAppToken), users, slack_.api_url(),
        more));
    ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; }))
        << channel_state("slack");
  }
  std::vector<json::object> posted() { return slack_.posted(); }
  bool has_posted(size_t count, const std::string& method = "chat.postMessage") {
    return support::wait_until([&] { return slack_.count(method) >= count; });
  }
  static std::string ts(int number) { return Slack::stamp(number); }

  Slack slack_;
  lab::Service& service_ = slack_.service();
};

TEST_F(SlackTest, TokensStandInTheirHeaderAlone) {
  start_slack();
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  slack_.say(slack_.pressed("U1", Slack::value_of(posted()[0], 0)));
  ASSERT_TRUE(has_posted(1, "chat.update"));
  EXPECT_EQ(std::string("Bearer ") + kBotToken,
            service_.all("/chat.postMessage")[0].headers.at("authorization"));
  EXPECT_EQ(std::string("Bearer ") + kAppToken,
            service_.all("/apps.connections.open")[0].headers.at("authorization"));
  expect_nowhere(kBotToken);
  expect_nowhere(kAppToken);
}

TEST_F(SlackTest, AnotherLinkIsOpenedWhenSlackWantsThat) {
  start_slack();
  const size_t first = slack_.link();
  service_.send(first, R"({"type":"disconnect","reason":"warning"})");
  ASSERT_TRUE(support::wait_until([&] { return service_.sockets() == 2 && service_.is_open(1); }));
  EXPECT_TRUE(support::wait_until([&] { return !service_.is_open(first); }));
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  slack_.say(slack_.pressed("U1", Slack::value_of(posted()[0], 0)));
  EXPECT_TRUE(reads("api", "y\n"));
}

TEST_F(SlackTest, ALinkThatBreaksOrGoesSilentIsReplaced) {
  start_slack();
  service_.drop(0);
  ASSERT_TRUE(support::wait_until([&] { return service_.sockets() == 2 && service_.is_open(1); }));
  // Half open: it is there, and answers no ping.
  service_.fall_silent(1);
  ASSERT_TRUE(support::wait_until([&] { return service_.sockets() == 3 && service_.is_open(2); }));
  EXPECT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; }));
}

TEST_F(SlackTest, ASlowAndALyingServerDelayNobody) {
  start_slack();
  service_.fault("/chat.postMessage", {.never = true});
  service_.fault("/chat.postMessage", {.status = 200, .body = "<html>this is no JSON</html>"});
  service_.fault("/chat.postMessage", {.status = 200, .body = std::string(1 << 20, 'x')});
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(4));
  for (const char* nonsense :
       {"", "[]", "{", R"({"type":7})", R"({"envelope_id":"q","type":"interactive"})",
        R"({"envelope_id":"r","type":"interactive","payload":{"type":"block_actions","actions":[7]}})"})
    slack_.say(nonsense);
  slack_.say(slack_.pressed("U1", Slack::value_of(posted()[3], 0)));
  EXPECT_TRUE(reads("api", "y\n"));
}

TEST_F(SlackTest, ASecretIsAskedForElsewhere) {
  start_slack();
  const std::string id =
      run(*peer_, "stty -echo; printf 'Password: '; read a; echo \"got ${#a}\"; exec sleep 60",
          {{"name", "api"}});
  ASSERT_TRUE(has_posted(1));
  EXPECT_TRUE(Slack::buttons(posted()[0]).empty());
  EXPECT_THAT(json::serialize(posted()[0]), HasSubstr("at the terminal or in the browser"));
  slack_.say(slack_.written("U1", "hunter2", ts(1)));
  ASSERT_TRUE(has_posted(2));
  EXPECT_EQ("awaiting", prompt_of(id).at("state").as_string());
  expect_nowhere("hunter2");
}

TEST_F(SlackTest, WhatWasWrittenBeforeItWasAskedIsNoAnswer) {
  start_slack();
  // It waited with Slack while nobody was connected, and may have been meant for anything.
  json::object old = slack_.write("U1", "yes, delete it");
  old.at("event").as_object()["ts"] = "1700000001.000001";
  const std::string id = asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  slack_.say(slack_.envelope("events_api", old));
  ASSERT_TRUE(has_posted(2));
  EXPECT_THAT(json::serialize(posted()[1]), HasSubstr("before it was asked"));
  EXPECT_EQ("awaiting", prompt_of(id).at("state").as_string());
  slack_.say(slack_.written("U1", "y"));
  EXPECT_TRUE(reads("api", "y\n"));
}

TEST_F(SlackTest, IsSetUpAndTriedByACommand) {
  start("");
  const auto added = home_.tend(
      {"channel", "add", "slack", "--token-file", secret_file("bot.token", kBotToken), "--app-token-file",
       secret_file("app.token", kAppToken), "--user", "U1", "--api-url", slack_.api_url()});
  ASSERT_EQ(0, added.status) << added.output;
  EXPECT_THAT(added.output, HasSubstr("tend in lab"));
  ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; }));
  const auto tried = home_.tend({"channel", "test", "slack"});
  EXPECT_EQ(0, tried.status) << tried.output;
  ASSERT_EQ(1U, slack_.count());
  EXPECT_EQ("This is a test of tend.", posted()[0].at("text").as_string());
  service_.fault("/chat.postMessage", {.status = 200, .body = R"({"ok":false,"error":"channel_not_found"})"});
  const auto failed = home_.tend({"channel", "test", "slack"});
  EXPECT_NE(0, failed.status);
  EXPECT_THAT(failed.output, HasSubstr("channel_not_found"));
  // Tokens that the service does not know are not written down.
  service_.fault("/auth.test", {.status = 200, .body = R"({"ok":false,"error":"invalid_auth"})"});
  const auto refused =
      home_.tend({"channel", "add", "slack", "--token-file", home_.file("bot.token"), "--app-token-file",
                  home_.file("app.token"), "--user", "U2", "--api-url", slack_.api_url()});
  EXPECT_NE(0, refused.status);
  EXPECT_THAT(refused.output, HasSubstr("invalid_auth"));
  EXPECT_EQ(std::string::npos, support::read_file(home_.file("config/config.yml")).find("U2"));
}

TEST_F(SlackTest, TheLastOutputIsShownOnRequest) {
  start_slack();
  const std::string id =
      run(*peer_, "seq 1 40; echo 'key sk-ant-REDACTED'; printf 'Continue? (y/n) '; read a; exec sleep 60",
          {{"name", "api"}});
  ASSERT_TRUE(has_posted(1));
  slack_.say(slack_.pressed("U1", Slack::value_of(posted()[0], "Show last output")));
  ASSERT_TRUE(has_posted(2));
  const std::string text = json::serialize(posted()[1]);
  EXPECT_EQ(ts(1), posted()[1].at("thread_ts").as_string());
  EXPECT_THAT(text, HasSubstr("39\\n40\\n"));
  EXPECT_EQ(std::string::npos, text.find("abcdefghijkl"));
}

}  // namespace
}  // namespace media_test
