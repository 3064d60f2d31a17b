// SPDX-License-Identifier: Apache-2.0
// Two people in Slack, a webhook and the command line race for each prompt, through the real media: one
// answer arrives, the others hear that they were too late, and the audit knows all of it.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <map>
#include <thread>

#include "base/strings.h"
#include "lab/service.h"
#include "media_home.h"

namespace media_test {
namespace {

constexpr int kRounds = 4;  // more would wait for the pace of messages

class SlackRace : public MediaTest {
 protected:
  static json::object body_of(const lab::Service::Request& asked) {
    return json::parse(asked.body).as_object();
  }
  lab::Service::Answer answer(const lab::Service::Request& asked) {
    json::object result{{"ok", true}};
    if (asked.target == "/api/apps.connections.open")
      result["url"] = fmt::format("ws://127.0.0.1:{}/link", service_.port());
    if (asked.target == "/api/chat.postMessage") {
      result["channel"] = "D" + std::string(body_of(asked).at("channel").as_string());
      result["ts"] = fmt::format("1.{}", ++messages_);
    }
    return {.status = 200, .body = json::serialize(result)};
  }
  // The thread of what this user was asked in this round.
  std::string thread_of(const std::string& user, int round) {
    std::string ts;
    EXPECT_TRUE(support::wait_until([&] {
      const auto all = service_.all("/chat.postMessage");
      for (size_t i = 0; i < all.size(); i++) {
        const bool is_his = body_of(all[i]).at("channel").as_string() == user;
        if (is_his && all[i].body.find(fmt::format("Round {}:", round)) != std::string::npos)
          ts = fmt::format("1.{}", i + 1);
      }
      return !ts.empty();
    }));
    return ts;
  }
  std::string url_of(int round) {
    std::string url;
    EXPECT_TRUE(support::wait_until([&] {
      for (const lab::Service::Request& each : service_.all("/hook")) {
        const json::object event = body_of(each);
        if (event.at("event") == "prompt.asked" &&
            event.at("question").as_string().starts_with(fmt::format("Round {}:", round)))
          url = std::string(event.at("answer_url").as_string());
      }
      return !url.empty();
    }));
    return url;
  }
  std::string reply(const std::string& user, const std::string& thread, const std::string& text) {
    return json::serialize(
        json::object{{"envelope_id", fmt::format("e{}", ++envelopes_)},
                     {"type", "events_api"},
                     {"payload", json::object{{"event", json::object{{"type", "message"},
                                                                     {"channel_type", "im"},
                                                                     {"user", user},
                                                                     {"channel", "D" + user},
                                                                     {"text", text},
                                                                     {"ts", "2.1"},
                                                                     {"thread_ts", thread}}}}}});
  }

  int messages_ = 0;
  int envelopes_ = 0;
  lab::Service service_{[this](const lab::Service::Request& asked) { return answer(asked); }};
};

TEST_F(SlackRace, OneAnswerArrivesEachTime) {
  service_.set_greeting(R"({"type":"hello"})");
  start(fmt::format(
      "channels:\n  slack:\n    bot_token_file: {0}\n    app_token_file: {0}\n    allowed_users: [U1, U2]\n"
      "    api_url: {1}/api\n  webhook:\n    url: {1}/hook\n    secret_file: {0}\n    listen: 127.0.0.1:0\n",
      secret_file("any.token", "a-token-of-the-tests"), service_.url()));
  ASSERT_TRUE(support::wait_until(
      [&] { return channel_state("slack") == "good" && channel_state("webhook") == "good"; }));
  run(*peer_,
      fmt::format("n=0; while :; do n=$((n+1)); printf \"Round $n: \"; read -r a; echo \"$n $a\" >> {}; done",
                  home_.file("api.read")),
      {{"name", "api"}});
  for (int round = 1; round <= kRounds; round++) {
    const std::string one = thread_of("U1", round);
    const std::string two = thread_of("U2", round);
    const std::string url = url_of(round);
    const std::string id(prompt_of("api").at("id").as_string());
    std::thread web([&] {
      [[maybe_unused]] const int code =
          std::system(fmt::format("curl -s -m 20 -d answer=w{} '{}' > /dev/null", round, url).c_str());
    });
    std::thread cli([&] {
      [[maybe_unused]] const int code =
          std::system(fmt::format("{} answer {} c{} 2> /dev/null", TEND, id, round).c_str());
    });
    service_.send(0, reply("U1", one, fmt::format("s{}", round)));
    service_.send(0, reply("U2", two, fmt::format("t{}", round)));
    web.join();
    cli.join();
    ASSERT_TRUE(support::wait_until(
        [&] { return host_test::count_of(read_by("api"), "\n") >= static_cast<size_t>(round); }));
  }
  ASSERT_TRUE(support::wait_until([&] { return service_.received(0).size() == 2 * kRounds; }));
  std::map<std::string, int> count;
  const std::string all = read_by("api");
  for (const std::string_view line : base::split(all, '\n')) {
    if (line.empty()) continue;
    const std::string round(line.substr(0, line.find(' ')));
    count[round]++;
    // What was meant for one round reached no other.
    EXPECT_EQ(round, line.substr(line.find(' ') + 2)) << line;
  }
  EXPECT_EQ(static_cast<size_t>(kRounds), count.size());
  for (const auto& [round, times] : count) EXPECT_EQ(1, times) << round;
  std::map<std::string, int> won;
  const json::value rows = peer_->ok("audit.show", {{"action", "answer"}});
  for (const json::value& row : rows.as_array())
    if (row.at("result").as_string() == "ok") won[std::string(row.at("prompt_id").as_string())]++;
  EXPECT_EQ(static_cast<size_t>(kRounds), won.size());
  for (const auto& [prompt, times] : won) EXPECT_EQ(1, times) << prompt;
}

}  // namespace
}  // namespace media_test
