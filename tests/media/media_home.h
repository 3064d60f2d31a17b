// SPDX-License-Identifier: Apache-2.0
// A daemon of the test's own with a channel of the kind that is tested, and sessions whose programs ask.
#pragma once
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "daemon_fixture.h"

namespace media_test {

namespace json = boost::json;
using host_test::Peer;

class MediaTest : public host_test::DaemonTest {
 protected:
  void SetUp() override {}  // see start()

  std::string secret_file(const std::string& name, const std::string& text) {
    const std::string path = home_.file(name);
    std::ofstream(path) << text << "\n";
    ::chmod(path.c_str(), 0600);
    return path;
  }
  void start(const std::string& config) {
    std::filesystem::create_directories(home_.file("config"));
    ::chmod(home_.file("config").c_str(), 0700);
    std::ofstream(home_.file("config/config.yml")) << config;
    DaemonTest::SetUp();
    peer_.emplace(peer());
  }
  // A program that asks this (as printf's %b has it), and writes down the line it reads.
  std::string asks(const std::string& name, const std::string& question, json::object more = {}) {
    std::ofstream(home_.file(name + ".question")) << question;
    more["name"] = name;
    return run(
        *peer_,
        fmt::format(
            "printf '%b ' \"$(cat {})\"; read -r a; echo \"$a\" >> {}; echo \"got <$a>\"; exec sleep 60",
            home_.file(name + ".question"), home_.file(name + ".read")),
        std::move(more));
  }
  std::string read_by(const std::string& name) { return support::read_file(home_.file(name + ".read")); }
  bool reads(const std::string& name, const std::string& text) {
    return support::wait_until([&] { return read_by(name) == text; });
  }
  json::object prompt_of(const std::string& session) {
    json::array open;
    EXPECT_TRUE(support::wait_until([&] {
      open = peer_->ok("prompt.list", {{"session", session}}).as_array();
      return open.size() == 1;
    }));
    return open.empty() ? json::object{} : open[0].as_object();
  }
  bool becomes_state(const std::string& prompt, std::string_view state) {
    return support::wait_until(
        [&] { return peer_->ok("prompt.get", {{"prompt_id", prompt}}).at("state").as_string() == state; });
  }
  std::string channel_state(const std::string& kind) {
    const json::value list = peer_->ok("channel.list");
    for (const json::value& each : (list.is_array() ? list : list.at("channels")).as_array())
      if (each.at("kind").as_string() == kind) return std::string(each.at("state").as_string());
    return "";
  }
  bool is_stored(const std::string& text) {
    return (support::read_file(home_.file("state/store.db")) +
            support::read_file(home_.file("state/store.db-wal")))
               .find(text) != std::string::npos;
  }
  // Nothing of this is in a log, the store, or an event.
  void expect_nowhere(const std::string& secret) {
    for (const auto& each : std::filesystem::recursive_directory_iterator(home_.path())) {
      if (!each.is_regular_file() || each.path().filename().string().ends_with("token")) continue;
      EXPECT_EQ(std::string::npos, support::read_file(each.path().string()).find(secret)) << each.path();
    }
  }

  std::optional<Peer> peer_;
};

}  // namespace media_test
