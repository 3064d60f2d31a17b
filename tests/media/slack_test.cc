// SPDX-License-Identifier: Apache-2.0
// Slack: the whole way, from a program that asks to the line it reads, over a server that speaks the Web API
// and Socket Mode, and misbehaves. The scenarios QA-010 to QA-017 and QA-022 to QA-025 are here.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>

#include "fake_service.h"
#include "media_home.h"

namespace media_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kBotToken = "xoxb-bot-secret-5Vw";
constexpr const char* kAppToken = "xapp-app-secret-9Qz";

class SlackTest : public MediaTest {
 protected:
  static Answer ok(json::object more = {}) {
    more["ok"] = true;
    return {.status = 200, .body = json::serialize(more), .headers = {{"Content-Type", "application/json"}}};
  }
  Answer answer(const Asked& asked) {
    if (asked.target == "/api/apps.connections.open")
      return ok({{"url", fmt::format("ws://127.0.0.1:{}/link/{}", slack_.port(), ++links_)}});
    if (asked.target == "/api/chat.postMessage") {
      const json::object body = json::parse(asked.body).as_object();
      const std::string channel(body.at("channel").as_string());
      return ok({{"channel", channel.starts_with('D') ? channel : "D" + channel},
                 {"ts", fmt::format("1700000000.{:06}", ++messages_)}});
    }
    if (asked.target == "/api/chat.update") return ok();
    return ok({{"user", "tend"}, {"team", "lab"}});
  }

  void start_slack(const std::string& users = "[U1]", const std::string& more = "") {
    slack_.set_greeting(R"({"type":"hello"})");
    start(fmt::format(
        "channels:\n  slack:\n    bot_token_file: {}\n    app_token_file: {}\n    allowed_users: {}\n"
        "    api_url: {}/api\n  request_timeout_seconds: 2\n{}",
        secret_file("bot.token", kBotToken), secret_file("app.token", kAppToken), users, slack_.url(), more));
    ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; }))
        << channel_state("slack");
  }
  // What was posted to this user, or in a thread; the bodies.
  std::vector<json::object> posted(const std::string& method = "chat.postMessage") {
    std::vector<json::object> bodies;
    for (const Asked& each : slack_.all("/" + method)) bodies.push_back(json::parse(each.body).as_object());
    return bodies;
  }
  bool has_posted(size_t count, const std::string& method = "chat.postMessage") {
    return support::wait_until([&] { return slack_.count("/" + method) >= count; });
  }
  static json::array buttons(const json::object& message) {
    for (const json::value& block : message.at("blocks").as_array())
      if (block.at("type").as_string() == "actions") return block.at("elements").as_array();
    return {};
  }
  static std::string value_of(const json::object& message, std::string_view label) {
    for (const json::value& each : buttons(message))
      if (each.at_pointer("/text/text").as_string() == label)
        return std::string(each.at("value").as_string());
    return "";
  }
  std::string envelope(const std::string& type, json::object payload, const std::string& id = "") {
    return json::serialize(json::object{{"envelope_id", id.empty() ? fmt::format("e{}", ++envelopes_) : id},
                                        {"type", type},
                                        {"accepts_response_payload", false},
                                        {"payload", std::move(payload)}});
  }
  static json::object press(const std::string& user, const std::string& value,
                            const std::string& ts = "1700000000.000001") {
    return {{"type", "block_actions"},
            {"user", json::object{{"id", user}}},
            {"channel", json::object{{"id", "D" + user}}},
            {"message", json::object{{"ts", ts}}},
            {"actions", json::array{json::object{{"type", "button"}, {"value", value}}}}};
  }
  json::object write(const std::string& user, const std::string& text, const std::string& thread = "") {
    json::object event{{"type", "message"},     {"channel_type", "im"}, {"user", user},
                       {"channel", "D" + user}, {"text", text},         {"ts", "1700000001.000001"}};
    if (!thread.empty()) event["thread_ts"] = thread;
    return {{"type", "event_callback"},
            {"event_id", fmt::format("Ev{}", ++envelopes_)},
            {"event", std::move(event)}};
  }
  size_t link() { return slack_.sockets() - 1; }
  void say(const std::string& envelope) { slack_.send(link(), envelope); }
  static std::string ts(int number) { return fmt::format("1700000000.{:06}", number); }

  int links_ = 0;
  int messages_ = 0;
  int envelopes_ = 0;
  FakeService slack_{[this](const Asked& asked) { return answer(asked); }};
};

TEST_F(SlackTest, Qa010SlackMessageFormat) {
  start_slack();
  asks("api", "Use <b>*bold*</b> & ```code``` for \\033[31m@channel\\033[0m? (y/n)");
  ASSERT_TRUE(has_posted(1));
  const json::object message = posted()[0];
  EXPECT_EQ("U1", message.at("channel").as_string());
  const std::string text = json::serialize(message);
  EXPECT_THAT(text, HasSubstr("&lt;b&gt;*bold*&lt;/b&gt; &amp; '''code'''"));
  EXPECT_EQ(std::string::npos, text.find("<b>"));
  EXPECT_EQ(std::string::npos, text.find("\\u001b"));
  ASSERT_EQ(4U, buttons(message).size());
  for (const json::value& each : buttons(message)) {
    EXPECT_EQ("plain_text", each.at_pointer("/text/type").as_string());
    EXPECT_LE(each.at_pointer("/text/text").as_string().size(), 75U);
    EXPECT_LE(each.at("value").as_string().size(), 64U);
  }
  for (const json::value& block : message.at("blocks").as_array())
    if (block.at("type").as_string() == "section") {
      EXPECT_LE(block.at_pointer("/text/text").as_string().size(), 3000U);
    }
  // A button is an answer, and the message says what became of it, without buttons.
  say(envelope("interactive", press("U1", buttons(message)[0].at("value").as_string().c_str())));
  EXPECT_TRUE(reads("api", "y\n"));
  ASSERT_TRUE(has_posted(1, "chat.update"));
  const json::object update = posted("chat.update")[0];
  EXPECT_EQ("DU1", update.at("channel").as_string());
  EXPECT_EQ(ts(1), update.at("ts").as_string());
  EXPECT_TRUE(buttons(update).empty());
  EXPECT_THAT(json::serialize(update), HasSubstr("Answered by slack:U1."));
  // Envelopes are acknowledged, and tokens stand in their header alone.
  EXPECT_EQ(R"({"envelope_id":"e1"})", slack_.received(link()).at(0));
  EXPECT_EQ(std::string("Bearer ") + kBotToken,
            slack_.all("/chat.postMessage")[0].headers.at("authorization"));
  EXPECT_EQ(std::string("Bearer ") + kAppToken,
            slack_.all("/apps.connections.open")[0].headers.at("authorization"));
  expect_nowhere(kBotToken);
  expect_nowhere(kAppToken);
}

TEST_F(SlackTest, Qa011ReplyAfterExpiry) {
  start_slack("[U1]", "prompts:\n  timeout_seconds: 2\n");
  const std::string id = asks("api", "Name:", {{"settings", "prompts:\n  timeout_seconds: 2\n"}});
  ASSERT_TRUE(has_posted(1));
  const std::string prompt(prompt_of(id).at("id").as_string());
  ASSERT_TRUE(becomes_state(prompt, "expired"));
  ASSERT_TRUE(has_posted(1, "chat.update"));
  EXPECT_THAT(json::serialize(posted("chat.update")[0]), HasSubstr("Expired"));
  say(envelope("events_api", write("U1", "Ada", ts(1))));
  ASSERT_TRUE(has_posted(2));
  EXPECT_EQ(ts(1), posted()[1].at("thread_ts").as_string());
  EXPECT_THAT(json::serialize(posted()[1]), HasSubstr("not asked any more"));
  EXPECT_EQ("", read_by("api"));
}

TEST_F(SlackTest, Qa012UnknownOrWrongPrompt) {
  start_slack();
  const std::string id = asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  std::string value = value_of(posted()[0], "y: Yes");
  if (value.empty()) value = std::string(buttons(posted()[0])[0].at("value").as_string());
  // Another nonce, another prompt, and nonsense.
  std::string other_nonce = value;
  std::swap(other_nonce[20], other_nonce[21]);
  other_nonce[22] = other_nonce[22] == 'a' ? 'b' : 'a';
  std::string other_prompt = value;
  other_prompt[3] = other_prompt[3] == 'a' ? 'b' : 'a';
  for (const std::string& wrong :
       {other_nonce, other_prompt, std::string("1nonsense"), std::string(2000, 'x')})
    say(envelope("interactive", press("U1", wrong)));
  say(envelope("interactive", press("U9", value)));  // a stranger
  say(envelope("events_api", write("U1", "no", "1699999999.000001")));
  ASSERT_TRUE(support::wait_until([&] { return slack_.received(link()).size() == 6; }));
  ASSERT_TRUE(has_posted(2));
  EXPECT_EQ("awaiting", prompt_of(id).at("state").as_string());
  EXPECT_EQ("", read_by("api"));
  say(envelope("interactive", press("U1", value)));
  EXPECT_TRUE(reads("api", "y\n"));
}

TEST_F(SlackTest, Qa013SlackThreadReply) {
  start_slack();
  asks("api", "Your name:");
  asks("web", "Your town:");
  ASSERT_TRUE(has_posted(2));
  const bool api_first = json::serialize(posted()[0]).find("Your name") != std::string::npos;
  say(envelope("events_api", write("U1", "R&amp;D &lt;a b&gt; <http://x.org|x.org>", ts(api_first ? 1 : 2))));
  say(envelope("events_api", write("U1", "Paris", ts(api_first ? 2 : 1))));
  EXPECT_TRUE(reads("api", "R&D <a b> x.org\n"));
  EXPECT_TRUE(reads("web", "Paris\n"));
}

TEST_F(SlackTest, Qa014SlackMultiUser) {
  start_slack("[U1, U2]");
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(2));
  const std::string yes(buttons(posted()[0])[0].at("value").as_string());
  const std::string no(buttons(posted()[0])[1].at("value").as_string());
  say(envelope("interactive", press("U2", no, ts(2))));
  say(envelope("interactive", press("U1", yes, ts(1))));
  EXPECT_TRUE(reads("api", "n\n"));
  // Both messages say who it was, and the one who was slower hears it.
  ASSERT_TRUE(has_posted(2, "chat.update"));
  for (const json::object& each : posted("chat.update"))
    EXPECT_THAT(json::serialize(each), HasSubstr("Answered by slack:U2."));
  ASSERT_TRUE(has_posted(3));
  EXPECT_EQ("DU1", posted()[2].at("channel").as_string());
  EXPECT_THAT(json::serialize(posted()[2]), HasSubstr("too late"));
  EXPECT_EQ("n\n", read_by("api"));
}

TEST_F(SlackTest, Qa015SlackRateLimit) {
  start_slack();
  slack_.fault("/chat.postMessage", {.status = 429, .body = "", .headers = {{"Retry-After", "2"}}});
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(2));
  const auto tries = slack_.all("/chat.postMessage");
  EXPECT_GE(tries[1].at - tries[0].at, milliseconds(1900));
  EXPECT_EQ(tries[0].body, tries[1].body);
  // Of the prompts that come at once, three go out, and the others at their pace.
  for (int i = 0; i < 4; i++) asks(fmt::format("more{}", i), "Continue? (y/n)");
  ASSERT_TRUE(has_posted(5));
  const auto all = slack_.all("/chat.postMessage");
  ASSERT_TRUE(support::wait_until(
      [&] { return std::chrono::steady_clock::now() - all.back().at > milliseconds(1500); }));
  EXPECT_LE(slack_.count("/chat.postMessage"), 5U);
}

TEST_F(SlackTest, Qa016DaemonKilledWithAnOpenPrompt) {
  start_slack();
  const std::string id = asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  const std::string yes(buttons(posted()[0])[0].at("value").as_string());
  // That there is a message is on the disk.
  ASSERT_TRUE(support::wait_until([&] { return is_stored("slack message "); }));
  const pid_t old = daemon_pid(*peer_);
  ::kill(old, SIGKILL);
  wait_for_another(old);
  peer_.emplace(peer());
  ASSERT_TRUE(support::wait_until([&] { return slack_.sockets() >= 2 && slack_.is_open(link()); }));
  prompt_of(id);
  // The button of the message from before, which was not sent again.
  say(envelope("interactive", press("U1", yes)));
  EXPECT_TRUE(reads("api", "y\n"));
  EXPECT_EQ(1U, slack_.count("/chat.postMessage"));
  EXPECT_TRUE(has_posted(1, "chat.update"));
}

TEST_F(SlackTest, Qa017ChildKilled) {
  start_slack();
  const std::string id = asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  const std::string yes(buttons(posted()[0])[0].at("value").as_string());
  const std::string prompt(prompt_of(id).at("id").as_string());
  peer_->ok("session.kill", {{"session", id}, {"force", true}});
  EXPECT_TRUE(becomes_state(prompt, "expired"));
  ASSERT_TRUE(has_posted(1, "chat.update"));
  say(envelope("interactive", press("U1", yes)));
  ASSERT_TRUE(has_posted(2));
  EXPECT_THAT(json::serialize(posted()[1]), HasSubstr("expired"));
}

TEST_F(SlackTest, Qa022DuplicateTap) {
  start_slack();
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  const std::string yes(buttons(posted()[0])[0].at("value").as_string());
  // The same envelope three times, as Slack does when it is in doubt, and the same tap in others.
  const std::string same = envelope("interactive", press("U1", yes), "twice");
  for (int i = 0; i < 3; i++) say(same);
  for (int i = 0; i < 3; i++) say(envelope("interactive", press("U1", yes)));
  EXPECT_TRUE(reads("api", "y\n"));
  ASSERT_TRUE(support::wait_until([&] { return slack_.received(link()).size() == 6; }));
  ASSERT_TRUE(has_posted(4));  // those that were too late hear of it
  EXPECT_EQ("y\n", read_by("api"));
  // What came of the one is known a little later than that the others came too late.
  EXPECT_TRUE(support::wait_until([&] {
    const json::value rows = peer_->ok("audit.show", {{"action", "answer"}});
    return 1 == std::count_if(rows.as_array().begin(), rows.as_array().end(),
                              [](const json::value& row) { return row.at("result").as_string() == "ok"; });
  }));
}

TEST_F(SlackTest, Qa023TwoSessions) {
  start_slack();
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  asks("web", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(2));
  // In the other order.
  say(envelope("interactive",
               press("U1", std::string(buttons(posted()[1])[1].at("value").as_string()), ts(2))));
  say(envelope("interactive",
               press("U1", std::string(buttons(posted()[0])[0].at("value").as_string()), ts(1))));
  EXPECT_TRUE(reads("api", "y\n"));
  EXPECT_TRUE(reads("web", "n\n"));
}

TEST_F(SlackTest, Qa024FreeTextWhileTwoPromptsAreOpen) {
  start_slack();
  asks("api", "Your name:");
  asks("web", "Your town:");
  ASSERT_TRUE(has_posted(2));
  say(envelope("events_api", write("U1", "Paris")));
  ASSERT_TRUE(has_posted(3));
  EXPECT_THAT(json::serialize(posted()[2]), HasSubstr("Several prompts are open"));
  EXPECT_EQ("", read_by("api") + read_by("web"));
  const bool api_first = json::serialize(posted()[0]).find("Your name") != std::string::npos;
  say(envelope("events_api", write("U1", "Ada", ts(api_first ? 1 : 2))));
  EXPECT_TRUE(reads("api", "Ada\n"));
  // Now only one is open, and a plain message is for that.
  ASSERT_TRUE(support::wait_until([&] { return peer_->ok("prompt.list").as_array().size() == 1; }));
  ASSERT_TRUE(has_posted(1, "chat.update"));
  say(envelope("events_api", write("U1", "Paris")));
  EXPECT_TRUE(reads("web", "Paris\n"));
}

TEST_F(SlackTest, Qa025ChannelDown) {
  start_slack();
  for (int i = 0; i < 4; i++) slack_.fault("/chat.postMessage", {.status = 500, .body = "down"});
  asks("api", "Your name:");
  // Meanwhile somebody is at the terminal, and notices nothing.
  const std::string id = run(*peer_, "while read a; do echo \"echo $a\"; done", {{"name", "other"}});
  for (int i = 0; i < 20; i++) {
    const auto begin = std::chrono::steady_clock::now();
    peer_->ok("pty.write", {{"session", id}, {"data", fmt::format("{}\r", i)}});
    ASSERT_TRUE(prints(*peer_, id, fmt::format("echo {}\r\n", i)));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(2000));
  }
  EXPECT_TRUE(support::wait_until([&] { return channel_state("slack") == "troubled"; }));
  ASSERT_TRUE(has_posted(5));
  const auto tries = slack_.all("/chat.postMessage");
  for (size_t i = 0; i < 4; i++) EXPECT_GE(tries[i + 1].at - tries[i].at, milliseconds(900 << i)) << i;
  EXPECT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; }));
  say(envelope("events_api", write("U1", "Ada", ts(1))));
  EXPECT_TRUE(reads("api", "Ada\n"));
}

TEST_F(SlackTest, AnotherLinkIsOpenedWhenSlackWantsThat) {
  start_slack();
  const size_t first = link();
  slack_.send(first, R"({"type":"disconnect","reason":"warning"})");
  ASSERT_TRUE(support::wait_until([&] { return slack_.sockets() == 2 && slack_.is_open(1); }));
  EXPECT_TRUE(support::wait_until([&] { return !slack_.is_open(first); }));
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(1));
  say(envelope("interactive", press("U1", std::string(buttons(posted()[0])[0].at("value").as_string()))));
  EXPECT_TRUE(reads("api", "y\n"));
}

TEST_F(SlackTest, ALinkThatBreaksOrGoesSilentIsReplaced) {
  start_slack();
  slack_.drop(0);
  ASSERT_TRUE(support::wait_until([&] { return slack_.sockets() == 2 && slack_.is_open(1); }));
  // Half open: it is there, and answers no ping.
  slack_.fall_silent(1);
  ASSERT_TRUE(support::wait_until([&] { return slack_.sockets() == 3 && slack_.is_open(2); }));
  EXPECT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; }));
}

TEST_F(SlackTest, ASlowAndALyingServerDelayNobody) {
  start_slack();
  slack_.fault("/chat.postMessage", {.never = true});
  slack_.fault("/chat.postMessage", {.status = 200, .body = "<html>this is no JSON</html>"});
  slack_.fault("/chat.postMessage", {.status = 200, .body = std::string(1 << 20, 'x')});
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_posted(4));
  for (const char* nonsense :
       {"", "[]", "{", R"({"type":7})", R"({"envelope_id":"q","type":"interactive"})",
        R"({"envelope_id":"r","type":"interactive","payload":{"type":"block_actions","actions":[7]}})"})
    say(nonsense);
  say(envelope("interactive", press("U1", std::string(buttons(posted()[3])[0].at("value").as_string()))));
  EXPECT_TRUE(reads("api", "y\n"));
}

TEST_F(SlackTest, ASecretIsAskedForElsewhere) {
  start_slack();
  const std::string id =
      run(*peer_, "stty -echo; printf 'Password: '; read a; echo \"got ${#a}\"; exec sleep 60",
          {{"name", "api"}});
  ASSERT_TRUE(has_posted(1));
  EXPECT_TRUE(buttons(posted()[0]).empty());
  EXPECT_THAT(json::serialize(posted()[0]), HasSubstr("at the terminal or in the browser"));
  say(envelope("events_api", write("U1", "hunter2", ts(1))));
  ASSERT_TRUE(has_posted(2));
  EXPECT_EQ("awaiting", prompt_of(id).at("state").as_string());
  expect_nowhere("hunter2");
}

TEST_F(SlackTest, IsSetUpAndTriedByACommand) {
  slack_.set_greeting(R"({"type":"hello"})");
  start("");
  const auto added = home_.tend(
      {"channel", "add", "slack", "--token-file", secret_file("bot.token", kBotToken), "--app-token-file",
       secret_file("app.token", kAppToken), "--user", "U1", "--api-url", slack_.url() + "/api"});
  ASSERT_EQ(0, added.status) << added.output;
  EXPECT_THAT(added.output, HasSubstr("tend in lab"));
  ASSERT_TRUE(support::wait_until([&] { return channel_state("slack") == "good"; }));
  const auto tried = home_.tend({"channel", "test", "slack"});
  EXPECT_EQ(0, tried.status) << tried.output;
  ASSERT_EQ(1U, slack_.count("/chat.postMessage"));
  EXPECT_EQ("This is a test of tend.", posted()[0].at("text").as_string());
  slack_.fault("/chat.postMessage", {.status = 200, .body = R"({"ok":false,"error":"channel_not_found"})"});
  const auto failed = home_.tend({"channel", "test", "slack"});
  EXPECT_NE(0, failed.status);
  EXPECT_THAT(failed.output, HasSubstr("channel_not_found"));
  // Tokens that the service does not know are not written down.
  slack_.fault("/auth.test", {.status = 200, .body = R"({"ok":false,"error":"invalid_auth"})"});
  const auto refused =
      home_.tend({"channel", "add", "slack", "--token-file", home_.file("bot.token"), "--app-token-file",
                  home_.file("app.token"), "--user", "U2", "--api-url", slack_.url() + "/api"});
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
  say(envelope("interactive", press("U1", value_of(posted()[0], "Show last output"))));
  ASSERT_TRUE(has_posted(2));
  const std::string text = json::serialize(posted()[1]);
  EXPECT_EQ(ts(1), posted()[1].at("thread_ts").as_string());
  EXPECT_THAT(text, HasSubstr("39\\n40\\n"));
  EXPECT_EQ(std::string::npos, text.find("abcdefghijkl"));
}

}  // namespace
}  // namespace media_test
