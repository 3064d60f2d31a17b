// SPDX-License-Identifier: Apache-2.0
// The keeper that waits for the next session, and the sessions of before, which wait to be looked at.
#include <csignal>
#include <filesystem>
#include <set>
#include <sys/wait.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

class SpareKeeper : public DaemonTest {
 protected:
  pid_t spare() {
    std::optional<pid_t> found;
    EXPECT_TRUE(support::wait_until([&] { return (found = home_.spare_keeper()).has_value(); }));
    return found.value_or(-1);
  }
  bool gone(pid_t pid) {
    return support::wait_until([&] { return ::kill(pid, 0) != 0; });
  }
};

TEST_F(SpareKeeper, TheNextSessionHasItAndAnotherComes) {
  Peer peer = this->peer();
  const pid_t first = spare();
  const std::string id = run(peer, "echo here; cat");
  EXPECT_TRUE(prints(peer, id, "here"));
  EXPECT_EQ(std::vector{first}, home_.keepers());
  const pid_t second = spare();
  EXPECT_NE(first, second);
  const std::string other = run(peer, "echo there; cat");
  EXPECT_TRUE(prints(peer, other, "there"));
  EXPECT_EQ((std::set{first, second}), [this] {
    const auto all = home_.keepers();
    return std::set(all.begin(), all.end());
  }());
}

TEST_F(SpareKeeper, OneThatSomebodyHasEndedIsNotUsed) {
  Peer peer = this->peer();
  for (int i = 0; i < 3; i++) {
    const pid_t dead = spare();
    ASSERT_EQ(0, ::kill(dead, SIGKILL));
    ASSERT_TRUE(gone(dead));
    const std::string id = run(peer, "echo here; cat");
    EXPECT_TRUE(prints(peer, id, "here"));
  }
}

TEST_F(SpareKeeper, ItGoesWithTheDaemonHoweverThatGoes) {
  const pid_t killed = spare();
  for (const pid_t each : home_.running("tend-daemon")) ::kill(each, SIGKILL);
  EXPECT_TRUE(gone(killed));
  ::waitpid(-1, nullptr, WNOHANG);
  EXPECT_TRUE(home_.running("tend-daemon").empty()) << "there is no session to bring one back for";
  ASSERT_EQ("ok", home_.start());
  (void)spare();
  EXPECT_EQ(0, home_.tend({"daemon", "stop"}).status);
  EXPECT_TRUE(support::wait_until([&] { return home_.running("tend-keeper").empty(); }));
  EXPECT_TRUE(std::filesystem::is_empty(home_.file("run/keepers")));
}

TEST_F(SpareKeeper, ItHasAHiddenNameAndNothingOfItStays) {
  const auto names = [&](const char* folder) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(home_.file(folder)))
      found.push_back(entry.path().filename());
    return found;
  };
  const pid_t first = spare();
  ASSERT_TRUE(support::wait_until([&] { return names("run/keepers").size() == 1; }));
  const std::string before = names("run/keepers")[0];
  EXPECT_TRUE(before.starts_with('.')) << before;
  EXPECT_TRUE(names("state/journals").empty());
  // Neither can clean up.
  for (const pid_t each : home_.running("tend-daemon")) ::kill(each, SIGSTOP);
  ::kill(first, SIGKILL);
  ASSERT_TRUE(gone(first));
  for (const pid_t each : home_.running("tend-daemon")) ::kill(each, SIGKILL);
  ASSERT_TRUE(support::wait_until([&] {
    ::waitpid(-1, nullptr, WNOHANG);
    return home_.running("tend-daemon").empty();
  }));
  EXPECT_EQ(std::vector{before}, names("run/keepers"));
  ASSERT_EQ("ok", home_.start());
  (void)spare();
  EXPECT_TRUE(support::wait_until([&] {
    const auto now = names("run/keepers");
    return now.size() == 1 && now[0] != before;
  }));
}

TEST_F(SpareKeeper, OneWhoseFoldersWereMadeAnewUsesTheNewOnes) {
  Peer peer = this->peer();
  (void)spare();
  ASSERT_TRUE(support::wait_until([&] { return !std::filesystem::is_empty(home_.file("run/keepers")); }));
  for (const char* each : {"run/keepers", "state/journals"}) {
    std::filesystem::remove_all(home_.file(each));
    std::filesystem::create_directory(home_.file(each));
    std::filesystem::permissions(home_.file(each), std::filesystem::perms::owner_all);
  }
  const std::string id = run(peer, "echo here; cat");
  EXPECT_TRUE(prints(peer, id, "here"));
  EXPECT_TRUE(std::filesystem::exists(home_.file("run/keepers/" + id + ".sock")));
  EXPECT_TRUE(std::filesystem::exists(home_.file("state/journals/" + id + ".0.journal")));
}

// What has ended is read when somebody asks; its name is known before.
TEST_F(SpareKeeper, TheNameOfAnEndedSessionIsTakenBeforeThatIsRead) {
  const json::object request{{"command", json::array{"true"}}, {"cwd", home_.path()}};
  std::string name;
  {
    Peer peer = this->peer();
    const json::value made = peer.ok("session.create", request);
    name = made.at("name").as_string();
    ASSERT_TRUE(becomes(peer, std::string(made.at("id").as_string()), "dead"));
  }
  EXPECT_EQ(0, home_.tend({"daemon", "stop"}).status);
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  EXPECT_EQ(name + "-2", std::string(peer.ok("session.create", request).at("name").as_string()));
  EXPECT_EQ(2U, peer.ok("session.list").at("sessions").as_array().size());
  EXPECT_EQ("dead", std::string(session(peer, name).at_pointer("/ptys/0/state").as_string()));
}

}  // namespace
}  // namespace host_test
