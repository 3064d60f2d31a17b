// SPDX-License-Identifier: Apache-2.0
// Channels under the daemon's eyes: started, ended, started again, given up. Sessions do not notice.
#include <algorithm>
#include <csignal>

#include "channel_fixture.h"

namespace channel_test {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

class ChannelKeeping : public ChannelTest {
 protected:
  // Ends or stops the channel each time it is there, until it is not started any more.
  void until_given_up(int signal) {
    pid_t last = 0;
    ASSERT_TRUE(support::wait_until([&] {
      const pid_t now = channel_pid();
      if (now != 0 && now != last) {
        ::kill(now, signal);
        last = now;
      }
      return state() == "given up";
    }));
  }
};

TEST_F(ChannelKeeping, OneThatStallsIsStartedAgainThreeTimesAndThenGivenUp) {
  ASSERT_TRUE(becomes_state("good"));
  until_given_up(SIGSTOP);
  EXPECT_EQ(channel().at("restarts"), 3);
  EXPECT_TRUE(channel().at("pid").is_null());
  EXPECT_THAT(home_.tend({"status"}).output,
              HasSubstr("degraded: the channel telegram is given up: it gave no sign of life for 2 s"));
  EXPECT_THAT(home_.tend({"channel", "ls"}).output, HasSubstr("given up"));
  EXPECT_TRUE(home_.running("tend-channel").empty());
  // Whoever has mended it says so.
  EXPECT_EQ(0, home_.tend({"channel", "reload"}).status);
  EXPECT_TRUE(becomes_state("good"));
}

TEST_F(ChannelKeeping, ATokenOfTheEnvironmentIsGoodAndNotToBeSeen) {
  peer_.reset();
  ASSERT_EQ(0, home_.tend({"daemon", "stop"}).status);
  std::string settings = support::read_file(home_.file("config/config.yml"));
  const std::string line = "    token_file: " + home_.file("token") + "\n";
  settings.erase(settings.find(line), line.size());
  support::write_file(home_.file("config/config.yml"), settings);
  ::setenv("TEND_TELEGRAM_TOKEN", kToken.c_str(), 1);
  const std::string started = home_.start();
  ::unsetenv("TEND_TELEGRAM_TOKEN");
  ASSERT_EQ("ok", started);
  peer_.emplace(peer());
  ASSERT_TRUE(becomes_state("good"));
  const std::string environment = support::read_file(fmt::format("/proc/{}/environ", channel_pid()));
  EXPECT_THAT(environment, HasSubstr("TEND_TELEGRAM_TOKEN="));
  EXPECT_THAT(environment, testing::Not(HasSubstr(kToken)));
}

TEST_F(ChannelKeeping, OneThatEndsByItselfIsStartedAgain) {
  ASSERT_TRUE(becomes_state("good"));
  ASSERT_EQ(0, ::kill(channel_pid(), SIGSEGV));
  ASSERT_TRUE(support::wait_until([&] { return channel().at("restarts") == 1; }));
  EXPECT_TRUE(becomes_state("good"));
}

TEST_F(ChannelKeeping, ASessionDoesNotNoticeAChannelThatIsDead) {
  ASSERT_TRUE(becomes_state("good"));
  const std::string id = asks("stty -echo; echo ready; exec cat", "echo");
  Peer person = peer("person");
  person.attach({{"session", id}});
  ASSERT_TRUE(person.shows("ready"));
  ASSERT_EQ(0, ::kill(channel_pid(), SIGSTOP));
  std::vector<std::chrono::steady_clock::duration> times;
  for (int i = 0; i < 200; i++) {
    const auto begin = std::chrono::steady_clock::now();
    person.type(fmt::format("line {}\r", i));
    ASSERT_TRUE(person.shows(fmt::format("line {}\r\n", i)));
    times.push_back(std::chrono::steady_clock::now() - begin);
  }
  std::sort(times.begin(), times.end());
  EXPECT_LT(times[times.size() / 2], std::chrono::milliseconds(50));
}

TEST_F(ChannelKeeping, ItGoesWithTheDaemonAndGetsNothingOfIt) {
  ASSERT_TRUE(becomes_state("good"));
  const pid_t pid = channel_pid();
  // Standard input, output and error; the socket; what the loop and curl have for themselves.
  size_t foreign = 0;
  for (const auto& each : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid))) {
    std::error_code ignored;
    const std::string target = std::filesystem::read_symlink(each, ignored).string();
    foreign += target.find("journals") != std::string::npos || target.find("store") != std::string::npos ||
                       target.find("ptmx") != std::string::npos || target.find("lock") != std::string::npos
                   ? 1
                   : 0;
  }
  EXPECT_EQ(foreign, 0U);
  EXPECT_EQ(0, home_.tend({"daemon", "stop"}).status);
  EXPECT_TRUE(support::wait_until([&] { return home_.running("tend-channel").empty(); }));
}

TEST_F(ChannelKeeping, ChannelsAloneDoNotKeepTheDaemon) {
  peer_.reset();
  ASSERT_EQ(0, home_.tend({"daemon", "stop"}).status);
  ASSERT_EQ("ok", home_.start({.arguments = {"--idle-seconds", "1"}}));
  EXPECT_TRUE(support::wait_until(
      [&] { return home_.running("tend").empty() && home_.running("tend-channel").empty(); }, seconds(30)));
}

TEST_F(ChannelKeeping, ATokenThatOthersMayReadIsRefused) {
  ASSERT_TRUE(becomes_state("good"));
  ASSERT_EQ(0, ::chmod(home_.file("token").c_str(), 0644));
  peer_->ok("channel.reload");
  ASSERT_TRUE(becomes_state("troubled"));
  EXPECT_THAT(std::string(channel().at("detail").as_string()), HasSubstr("may be read by others"));
  EXPECT_EQ(1, home_.tend({"channel", "test"}).status);
}

TEST_F(ChannelKeeping, ATokenThatTheServiceDoesNotKnowSaysSo) {
  support::write_file(home_.file("token"), "987654321:wrong\n");
  peer_->ok("channel.reload");
  ASSERT_TRUE(becomes_state("troubled"));
  EXPECT_THAT(std::string(channel().at("detail").as_string()), HasSubstr("the token is refused"));
}

TEST_F(ChannelKeeping, WhatIsTakenOutOfTheSettingsEnds) {
  ASSERT_TRUE(becomes_state("good"));
  support::write_file(home_.file("config/config.yml"), "session: {cols: 100}\n");
  peer_->ok("channel.reload");
  EXPECT_TRUE(peer_->ok("channel.list").as_array().empty());
  EXPECT_TRUE(support::wait_until([&] { return home_.running("tend-channel").empty(); }));
  EXPECT_TRUE(peer_->ok("daemon.status").at("degraded").as_array().empty());
}

}  // namespace
}  // namespace channel_test
