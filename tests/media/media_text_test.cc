// SPDX-License-Identifier: Apache-2.0
// The pure parts of Slack and the webhook: what is written, and how what comes is read.
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "channel/signature.h"
#include "channel/slack_api.h"
#include "channel/slack_events.h"
#include "channel/slack_socket.h"
#include "channel/slack_text.h"
#include "channel/webhook_text.h"

namespace channel {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

Notice notice() {
  return {.prompt = std::string(16, '0'),
          .nonce = std::string(16, '1'),
          .session = "api",
          .pty = 0,
          .type = "FREE_TEXT",
          .question = "Your name:",
          .excerpt = "Your name:",
          .choices = {},
          .fallback = {},
          .secret = false,
          .ambiguous = false,
          .created_at = 0,
          .expires_at = 0};
}

// RFC 4231, test case 2.
TEST(Signature, IsHmacSha256) {
  EXPECT_EQ("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            hmac_sha256("Jefe", "what do ya want for nothing?"));
  EXPECT_TRUE(is_same("ab", "ab"));
  EXPECT_FALSE(is_same("ab", "abc"));
  EXPECT_FALSE(is_same("ab", "ac"));
}

TEST(SlackEvents, AMessageOfAPersonIsRead) {
  const SlackEvent event = read_slack_event(
      R"({"envelope_id":"e1","type":"events_api","payload":{"event_id":"Ev1","event":{"type":"message","channel_type":"im",
          "user":"U1","channel":"D1","text":"a &amp; b","ts":"1700000007.000100","thread_ts":"1700000000.000001"}}})");
  EXPECT_EQ(SlackEvent::What::message, event.what);
  EXPECT_EQ("e1", event.envelope);
  EXPECT_EQ("Ev1", event.event);
  EXPECT_EQ("U1", event.user);
  EXPECT_EQ("D1", event.channel);
  EXPECT_EQ("a & b", event.text);
  EXPECT_EQ("1700000000.000001", event.thread);
  EXPECT_EQ(1'700'000'007, event.date);
}

TEST(SlackEvents, AButtonSaysWhatStandsInIt) {
  const Press press{.prompt = std::string(16, 'a'),
                    .nonce = std::string(16, 'b'),
                    .what = Press::What::choice,
                    .choice = 7};
  const json::object envelope{
      {"envelope_id", "e1"},
      {"type", "interactive"},
      {"payload", json::object{{"type", "block_actions"},
                               {"user", json::object{{"id", "U1"}}},
                               {"channel", json::object{{"id", "D1"}}},
                               {"message", json::object{{"ts", "1.2"}}},
                               {"actions", json::array{json::object{{"value", callback_data(press)}}}}}}};
  const SlackEvent event = read_slack_event(json::serialize(envelope));
  ASSERT_EQ(SlackEvent::What::press, event.what);
  EXPECT_EQ("U1", event.user);
  EXPECT_EQ("D1", event.channel);
  EXPECT_EQ("1.2", event.message);
  const Reply reply = reply_of(*event.press, "slack:U1");
  EXPECT_EQ(Reply::Kind::choice, reply.kind);
  EXPECT_EQ(7U, reply.choice);
  EXPECT_EQ(press.nonce, reply.nonce);
}

// What is not acknowledged would come again and again.
TEST(SlackEvents, WhatNobodyDidIsAcknowledgedAndNothingElse) {
  for (const char* payload :
       {"7", "{}", R"({"event":{"type":"message","channel_type":"im","bot_id":"B1","user":"U1","text":"y"}})",
        R"({"event":{"type":"message","channel_type":"im","subtype":"message_changed","user":"U1"}})",
        R"({"event":{"type":"message","channel_type":"channel","user":"U1","text":"y"}})",
        R"({"event":{"type":"reaction_added","user":"U1"}})"}) {
    const SlackEvent event = read_slack_event(R"({"envelope_id":"e1","type":"events_api","payload":)" +
                                              std::string(payload) + "}");
    EXPECT_EQ(SlackEvent::What::nothing, event.what) << payload;
    EXPECT_EQ("e1", event.envelope) << payload;
  }
  EXPECT_EQ("", read_slack_event("{\"envelope_id\":\"" + std::string(10'000, 'e') + "\"}").envelope);
  EXPECT_EQ(SlackEvent::What::hello, read_slack_event(R"({"type":"hello"})").what);
  EXPECT_EQ(SlackEvent::What::disconnect, read_slack_event(R"({"type":"disconnect"})").what);
}

TEST(SlackText, StaysWithinItsBoundsWhateverIsPrinted) {
  Notice large = notice();
  large.session = std::string(5000, '*');
  large.question = std::string(20'000, '<');
  large.type = "MULTIPLE_CHOICE";
  for (int i = 0; i < 200; i++) large.choices.push_back({std::to_string(i), std::string(500, '&')});
  for (const bool ambiguous : {false, true}) {
    large.ambiguous = ambiguous;
    const SlackMessage message = slack_asking(large, Answerable::here);
    EXPECT_LE(message.blocks.size(), 50U);
    for (const json::value& block : message.blocks) {
      if (block.at("type").as_string() == "section") {
        EXPECT_LE(block.at_pointer("/text/text").as_string().size(), kMostSlackSection);
      }
      if (block.at("type").as_string() != "actions") continue;
      EXPECT_LE(block.at("elements").as_array().size(), kMostSlackButtons);
      for (const json::value& each : block.at("elements").as_array())
        EXPECT_LE(each.at_pointer("/text/text").as_string().size(), kMostSlackButton + 3);
    }
  }
}

TEST(SlackText, TheAmbiguousMessageHasTheThreeButtons) {
  Notice ambiguous = notice();
  ambiguous.ambiguous = true;
  const std::string text = json::serialize(slack_asking(ambiguous, Answerable::here).blocks);
  for (const char* part : {"tend detected a possible input request", "Last output (last 200 chars):",
                           "What should I do?", "SEND ENTER", "SHOW LAST OUTPUT", "CANCEL"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(SlackText, WhatWasTypedIsWhatIsRead) {
  EXPECT_EQ("a < b && c > d", typed_in_slack("a &lt; b &amp;&amp; c &gt; d"));
  EXPECT_EQ("see example.org now", typed_in_slack("see <http://example.org|example.org> now"));
  EXPECT_EQ("https://example.org/a?b=1&c", typed_in_slack("<https://example.org/a?b=1&amp;c>"));
  EXPECT_EQ("&lt;", typed_in_slack("&amp;lt;"));
  EXPECT_EQ("<half", typed_in_slack("<half"));
}

TEST(SlackApi, SaysWhetherToTryAgain) {
  using What = SendQueue::Sent::What;
  const auto what = [](int status, const std::string& body) {
    const auto answer = read_slack_answer(HttpResponse{.status = status, .body = body});
    return answer ? What::done : answer.error().what;
  };
  EXPECT_EQ(What::done, what(200, R"({"ok":true})"));
  EXPECT_EQ(What::again, what(429, ""));
  EXPECT_EQ(What::again, what(503, "x"));
  EXPECT_EQ(What::again, what(200, "no JSON"));
  EXPECT_EQ(What::again, what(200, R"({"ok":false,"error":"ratelimited"})"));
  EXPECT_EQ(What::never, what(200, R"({"ok":false,"error":"invalid_auth"})"));
  EXPECT_EQ(What::never, what(404, "no JSON"));
}

TEST(SlackSocket, UrlsAreEncryptedUnlessTheyAreOfThisMachine) {
  const auto url = read_socket_url("wss://wss-primary.example.org/link/?ticket=a&app_id=b");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ("wss-primary.example.org", url->host);
  EXPECT_EQ("443", url->port);
  EXPECT_EQ("/link/?ticket=a&app_id=b", url->target);
  const auto local = read_socket_url("ws://127.0.0.1:8080/x");
  ASSERT_TRUE(local);
  EXPECT_EQ("8080", local->port);
  for (const char* wrong : {"", "http://x", "ws://example.org/x", "wss://", "wss://x:0/", "wss://x:99999/",
                            "ws://127.0.0.1.example.org/"})
    EXPECT_FALSE(read_socket_url(wrong)) << wrong;
}

TEST(WebhookText, TargetsAreReadOrRefused) {
  const std::string good = "/answer/" + std::string(16, 'a') + "/1700000000/" + std::string(64, 'f');
  ASSERT_TRUE(read_target(good));
  EXPECT_EQ("choice=2", read_target(good + "?choice=2")->query);
  for (const std::string& wrong :
       {std::string(), std::string("/"), good + "/", "/" + good, good + "f", std::string("/answer/a/b/c")})
    EXPECT_FALSE(read_target(wrong)) << wrong;
}

TEST(WebhookText, RepliesAreOneOfFour) {
  EXPECT_EQ("a b&c", read_reply("answer=a+b%26c", "", "")->text);
  EXPECT_EQ(2U, read_reply("choice=2", "", "")->choice);
  EXPECT_EQ(Reply::Kind::cancel, read_reply("", "application/json", R"({"cancel":true})")->kind);
  EXPECT_EQ(Reply::Kind::enter, read_reply("", "application/json; charset=utf-8", R"({"enter":true})")->kind);
  EXPECT_EQ("Ada", read_reply("", "text/plain", "Ada\r\n")->text);
  for (const char* wrong : {"x=1", "choice=-1", "choice=1&answer=2", "answer=%2", "answer=1&answer=2"})
    EXPECT_FALSE(read_reply(wrong, "", "")) << wrong;
  EXPECT_FALSE(read_reply("", "application/json", "[]"));
  EXPECT_FALSE(read_reply("", "application/json", R"({"answer":"a","enter":true})"));
}

TEST(WebhookText, HeadersHoldOneLineOfAscii) {
  Notice odd = notice();
  odd.session = "a\r\nX-Evil: 1, ü;";
  odd.choices = {{"1", "one, two; three\n"}};
  for (const std::string& header :
       asked_post(odd, "http://127.0.0.1:1/answer/x", WebhookFormat::text).headers)
    for (const char c : header) EXPECT_TRUE(c >= ' ' && c <= '~') << header;
}

}  // namespace
}  // namespace channel
