// SPDX-License-Identifier: Apache-2.0
// A daemon with a Telegram channel, both real, and a Bot API server of the test's own.
#pragma once
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <optional>
#include <string>
#include <sys/stat.h>

#include "bot_server.h"
#include "daemon_fixture.h"

namespace channel_test {

using host_test::count_of;
using host_test::Peer;

inline constexpr int64_t kAnn = 1001;
inline constexpr int64_t kBob = 1002;
inline const std::string kToken = "123456789:AAtest-token_of-no-bot-at-all-000000";

class ChannelTest : public host_test::DaemonTest {
 protected:
  void SetUp() override {
    configure();
    ASSERT_EQ("ok", home_.start());
    peer_.emplace(peer());
  }

  // Two users; short times.
  void configure(const std::string& more = {}) {
    support::write_file(home_.file("token"), kToken + "\n");
    ASSERT_EQ(0, ::chmod(home_.file("token").c_str(), 0600));
    std::filesystem::create_directories(home_.file("config"));
    ASSERT_EQ(0, ::chmod(home_.file("config").c_str(), 0700));
    support::write_file(
        home_.file("config/config.yml"),
        fmt::format(
            "channels:\n  request_timeout_seconds: 1\n  telegram:\n    token_file: {}\n    allowed_users: "
            "['{}', '{}']\n    api_url: {}\nsupervision: {{task_timeout_seconds: 2, "
            "restart_delay_seconds: 0.1}}\n{}",
            home_.file("token"), kAnn, kBob, server_.url(), more));
  }

  // A session whose script asks something; its id.
  std::string asks(const std::string& script, const std::string& name, json::object more = {}) {
    more["name"] = name;
    more["command"] = json::array{"bash", "-c", script};
    return std::string(peer_->ok("session.create", std::move(more)).at("id").as_string());
  }
  std::string asks_yes_no(const std::string& name = "web") {
    return asks("read -p 'Deploy? [y/N] ' a; echo \"got <$a>\"; sleep 600", name);
  }
  bool prints(const std::string& id, std::string_view text) { return DaemonTest::prints(*peer_, id, text); }

  json::object channel() {
    const json::value list = peer_->ok("channel.list");
    return list.as_array().empty() ? json::object{{"state", ""}, {"detail", ""}, {"pid", 0}}
                                   : list.as_array()[0].as_object();
  }
  std::string state() { return std::string(channel().at("state").as_string()); }
  pid_t channel_pid() {
    const json::object about = channel();
    return about.at("pid").is_int64() ? about.at("pid").to_number<pid_t>() : 0;
  }
  bool becomes_state(std::string_view wanted) {
    return support::wait_until([&] { return state() == wanted; }, std::chrono::seconds(30));
  }
  // The rows of the audit with this action and channel.
  json::array rows(std::string_view action) {
    json::array some;
    const json::value all = peer_->ok("audit.show", {{"action", action}, {"limit", 1000}});
    for (const json::value& each : all.as_array()) {
      if (each.at("channel") == "telegram") some.push_back(each);
    }
    return some;
  }

  BotServer server_{kToken};
  std::optional<Peer> peer_;
};

}  // namespace channel_test
