// SPDX-License-Identifier: Apache-2.0
// The webhook: events that are posted, with signatures that openssl's command line agrees with, and answers
// that come by their URL, once, in time, and for their own prompt.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <memory>

#include "base/strings.h"
#include "lab/service.h"
#include "media_home.h"

namespace media_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kKey = "a-key-of-the-tests-4711";

struct Ran {
  int code = -1;
  std::string output;
};

Ran sh(const std::string& command) {
  Ran ran;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, n);
  ran.code = ::pclose(pipe);
  return ran;
}

class WebhookTest : public MediaTest {
 protected:
  void start_webhook(const std::string& more = "") {
    start(fmt::format(
        "channels:\n  webhook:\n    url: {}/hook\n    secret_file: {}\n    listen: 127.0.0.1:0\n{}"
        "  request_timeout_seconds: 2\n",
        hook_.url(), secret_file("hook.token", kKey), more));
    ASSERT_TRUE(support::wait_until([&] { return channel_state("webhook") == "good"; }));
  }
  std::vector<json::object> events() {
    std::vector<json::object> all;
    for (const lab::Service::Request& each : hook_.all("/hook"))
      all.push_back(json::parse(each.body).as_object());
    return all;
  }
  bool has_events(size_t count) {
    return support::wait_until([&] { return hook_.count("/hook") >= count; });
  }
  std::string answer_url(size_t event = 0) {
    return std::string(events()[event].at("answer_url").as_string());
  }
  // As somebody else's program would: the status, and what was said.
  static std::string post(const std::string& url, const std::string& options) {
    return sh(fmt::format("curl -s -m 20 -o - -w '%{{http_code}}' {} '{}'", options, url)).output;
  }
  // What openssl's command line says the signature of this is.
  std::string signed_by_openssl(const std::string& text) {
    const std::string file = home_.file("text");
    std::ofstream(file, std::ios::binary) << text;
    const std::string said = sh(fmt::format("openssl dgst -sha256 -hmac '{}' -r {}", kKey, file)).output;
    return said.substr(0, said.find(' '));
  }

  lab::Service hook_{[](const lab::Service::Request&) { return lab::Service::Answer{}; }};
};

TEST_F(WebhookTest, EventsAreSignedAsOpensslSignsThem) {
  start_webhook();
  asks("api", "Delete \"it\"? (y/n)");
  ASSERT_TRUE(has_events(1));
  const lab::Service::Request asked = hook_.all("/hook")[0];
  EXPECT_EQ("prompt.asked", asked.headers.at("x-tend-event"));
  const std::string& time = asked.headers.at("x-tend-timestamp");
  EXPECT_LT(std::abs(std::stoll(time) - std::time(nullptr)), 60);
  EXPECT_EQ("v1=" + signed_by_openssl(time + "." + asked.body), asked.headers.at("x-tend-signature"));
  const json::object event = events()[0];
  EXPECT_EQ("api", event.at("session").as_string());
  EXPECT_EQ("YES_NO", event.at("type").as_string());
  EXPECT_THAT(std::string(event.at("question").as_string()), HasSubstr("Delete \"it\"? (y/n)"));
  EXPECT_EQ(2U, event.at("choices").as_array().size());
  // The URL's signature too, over what the protocol says.
  const std::string url = answer_url();
  const std::string prompt(event.at("prompt").as_string());
  const std::string expires = std::to_string(event.at("expires_at").as_int64());
  const json::value known = peer_->ok("prompt.get", {{"prompt_id", prompt}});
  const std::string nonce(known.at("nonce").as_string());
  EXPECT_TRUE(
      url.ends_with(fmt::format("/answer/{}/{}/{}", prompt, expires,
                                signed_by_openssl(fmt::format("answer.{}.{}.{}", prompt, nonce, expires)))));
  EXPECT_EQ(std::string::npos, asked.body.find(nonce));
  expect_nowhere(kKey);
}

TEST_F(WebhookTest, AnAnswerComesByItsUrlOnce) {
  start_webhook();
  asks("api", "Your name:");
  ASSERT_TRUE(has_events(1));
  const std::string url = answer_url();
  // Looking at a link is no answer.
  EXPECT_THAT(post(url, ""), HasSubstr("405"));
  EXPECT_EQ("accepted\n200", post(url, "--data-urlencode 'answer=Ada & Eve'"));
  EXPECT_TRUE(reads("api", "Ada & Eve\n"));
  // Again: too late, and nothing is written.
  const std::string again = post(url, "-d answer=Eve");
  EXPECT_TRUE(again.ends_with("409") || again.ends_with("403")) << again;
  EXPECT_EQ("Ada & Eve\n", read_by("api"));
  ASSERT_TRUE(has_events(2));
  EXPECT_EQ("prompt.ended", events()[1].at("event").as_string());
  EXPECT_EQ("answered", events()[1].at("state").as_string());
  EXPECT_EQ("accepted", events()[1].at("outcome").as_string());
  EXPECT_EQ("webhook", events()[1].at("by").as_string());
}

TEST_F(WebhookTest, AnswersComeAsJsonTextOrInTheUrl) {
  start_webhook();
  asks("one", "Continue? (y/n)");
  ASSERT_TRUE(has_events(1));
  EXPECT_EQ("accepted\n200", post(answer_url(0), "-H 'Content-Type: application/json' -d '{\"choice\":2}'"));
  EXPECT_TRUE(reads("one", "n\n"));
  ASSERT_TRUE(has_events(2));
  asks("two", "Continue? (y/n)");
  ASSERT_TRUE(has_events(3));
  EXPECT_EQ("accepted\n200", post(answer_url(2) + "?choice=1", "-X POST"));
  EXPECT_TRUE(reads("two", "y\n"));
  ASSERT_TRUE(has_events(4));
  asks("three", "Your name:");
  ASSERT_TRUE(has_events(5));
  for (const char* wrong : {"-H 'Content-Type: application/json' -d '{'", "-d 'choice=0'", "-d 'a=b'",
                            "-d 'answer=a&choice=1'", "-d 'answer=%zz'"})
    EXPECT_THAT(post(answer_url(4), wrong), HasSubstr("400")) << wrong;
  EXPECT_EQ("accepted\n200", post(answer_url(4), "-H 'Content-Type: text/plain' -d 'Ada'"));
  EXPECT_TRUE(reads("three", "Ada\n"));
}

TEST_F(WebhookTest, AUrlIsGoodForItsOwnPromptAndTime) {
  start_webhook();
  asks("api", "Your name:");
  ASSERT_TRUE(has_events(1));
  asks("web", "Your town:");
  ASSERT_TRUE(has_events(2));
  const std::string api = answer_url(0);
  const std::string web = answer_url(1);
  const auto part = [](const std::string& url, int number) {
    std::vector<std::string> parts;
    for (const auto each : base::split(std::string_view(url).substr(7), '/')) parts.emplace_back(each);
    return parts[static_cast<size_t>(number)];
  };
  const std::string base = api.substr(0, api.find("/answer/"));
  const std::string other_prompt =
      fmt::format("{}/answer/{}/{}/{}", base, part(web, 2), part(api, 3), part(api, 4));
  const std::string longer =
      fmt::format("{}/answer/{}/{}/{}", base, part(api, 2), std::stoll(part(api, 3)) + 1000, part(api, 4));
  std::string other_signature = api;
  other_signature.back() = other_signature.back() == '0' ? '1' : '0';
  for (const std::string& wrong : {other_prompt, longer, other_signature})
    EXPECT_THAT(post(wrong, "-d answer=Eve"), HasSubstr("403")) << wrong;
  for (const char* path : {"/", "/answer", "/answer/x/1/y", "/answer/../../etc/passwd"})
    EXPECT_THAT(post(base + path, "--path-as-is -d answer=Eve"), HasSubstr("404")) << path;
  EXPECT_THAT(
      sh(fmt::format(
             "head -c 100000 /dev/zero | curl -s -m 20 -o - -w '%{{http_code}}' --data-binary @- '{}'", api))
          .output,
      HasSubstr("413"));
  EXPECT_EQ("", read_by("api") + read_by("web"));
  EXPECT_EQ("accepted\n200", post(api, "-d answer=Ada"));
  EXPECT_TRUE(reads("api", "Ada\n"));
}

TEST_F(WebhookTest, AnExpiredPromptTakesNoAnswer) {
  start_webhook();
  asks("api", "Your name:", {{"settings", "prompts:\n  timeout_seconds: 2\n"}});
  ASSERT_TRUE(has_events(2));
  EXPECT_EQ("expired", events()[1].at("state").as_string());
  const std::string said = post(answer_url(0), "-d answer=Eve");
  EXPECT_TRUE(said.ends_with("403") || said.ends_with("410") || said.ends_with("409")) << said;
  EXPECT_EQ("", read_by("api"));
}

TEST_F(WebhookTest, WhatFailsIsTriedAgainInOrderUnderTheSameName) {
  start_webhook();
  hook_.fault("/hook", {.status = 500});
  hook_.fault("/hook", {.status = 429, .body = "", .headers = {{"Retry-After", "2"}}});
  hook_.fault("/hook", {.never = true});
  asks("api", "Your name:");
  ASSERT_TRUE(has_events(4));
  const auto all = hook_.all("/hook");
  for (size_t i = 1; i < 4; i++)
    EXPECT_EQ(all[0].headers.at("x-tend-delivery"), all[i].headers.at("x-tend-delivery"));
  EXPECT_GE(all[1].at - all[0].at, milliseconds(900));
  EXPECT_GE(all[2].at - all[1].at, milliseconds(1900));
  EXPECT_TRUE(support::wait_until([&] { return channel_state("webhook") == "good"; }));
  EXPECT_EQ("accepted\n200", post(answer_url(3), "-d answer=Ada"));
}

TEST_F(WebhookTest, ASecretHasNoUrl) {
  start_webhook();
  run(*peer_, "stty -echo; printf 'Password: '; read a; exec sleep 60", {{"name", "api"}});
  ASSERT_TRUE(has_events(1));
  EXPECT_TRUE(events()[0].at("secret").as_bool());
  EXPECT_TRUE(events()[0].at("answer_url").is_null());
}

TEST_F(WebhookTest, ARestartPostsNothingTwiceAndKeepsUrlsGood) {
  start_webhook("    answer_url: http://127.0.0.1:1\n");
  const std::string id = asks("api", "Your name:");
  ASSERT_TRUE(has_events(1));
  EXPECT_TRUE(answer_url().starts_with("http://127.0.0.1:1/answer/"));
  ASSERT_TRUE(support::wait_until([&] { return is_stored("webhook shown "); }));
  const pid_t old = daemon_pid(*peer_);
  ::kill(old, SIGKILL);
  wait_for_another(old);
  peer_.emplace(peer());
  ASSERT_TRUE(support::wait_until([&] { return channel_state("webhook") == "good"; }));
  prompt_of(id);
  peer_->ok("pty.write", {{"session", id}, {"data", "Ada\r"}});
  ASSERT_TRUE(has_events(2));
  EXPECT_EQ("prompt.ended", events()[1].at("event").as_string());
  EXPECT_EQ("terminal", events()[1].at("channel").as_string());
}

TEST_F(WebhookTest, IsSetUpAndTriedByACommand) {
  start("");
  const auto added = home_.tend({"channel", "add", "webhook", "--url", hook_.url() + "/hook", "--token-file",
                                 secret_file("hook.token", kKey), "--listen", "127.0.0.1:0"});
  ASSERT_EQ(0, added.status) << added.output;
  ASSERT_TRUE(support::wait_until([&] { return channel_state("webhook") == "good"; }));
  const auto tried = home_.tend({"channel", "test", "webhook"});
  EXPECT_EQ(0, tried.status) << tried.output;
  ASSERT_EQ(2U, hook_.count("/hook"));
  for (const lab::Service::Request& each : hook_.all("/hook")) {
    EXPECT_EQ("test", each.headers.at("x-tend-event"));
    EXPECT_EQ("v1=" + signed_by_openssl(each.headers.at("x-tend-timestamp") + "." + each.body),
              each.headers.at("x-tend-signature"));
  }
}

// As ntfy takes it: a text, a title, and buttons that post to the answer's URL.
TEST_F(WebhookTest, ATextForPeopleHasItsButtonsInAHeader) {
  start_webhook("    format: text\n");
  asks("api", "Continue? (y/n)");
  ASSERT_TRUE(has_events(1));
  const lab::Service::Request asked = hook_.all("/hook")[0];
  EXPECT_THAT(asked.body, HasSubstr("Continue? (y/n)"));
  EXPECT_EQ("api asks", asked.headers.at("title"));
  const std::string& actions = asked.headers.at("actions");
  EXPECT_THAT(actions, testing::StartsWith("http, "));
  const size_t url = actions.find("http://");
  ASSERT_NE(std::string::npos, url);
  EXPECT_EQ("accepted\n200", post(actions.substr(url, actions.find(',', url) - url), "-X POST"));
  EXPECT_TRUE(reads("api", "y\n"));
}

}  // namespace
}  // namespace media_test
