// SPDX-License-Identifier: Apache-2.0
// Many sessions at once, from many clients.
#include <gmock/gmock.h>
#include <set>
#include <sys/resource.h>

#include "daemon_fixture.h"

namespace host_test {
namespace {

constexpr size_t kClients = 8;
constexpr size_t kEach = 25;

class Many : public DaemonTest {
 protected:
  // Without more descriptors than a login usually has: it takes what it may.
  void SetUp() override { ASSERT_EQ("ok", home_.start({.soft_descriptors = 256})); }

  // Every client asks for all of its own before it looks at an answer.
  std::vector<json::value> ask_all(std::vector<Peer>& peers, std::string_view method,
                                   const std::vector<json::object>& requests) {
    std::vector<std::pair<Peer*, uint64_t>> asked;
    for (size_t i = 0; i < requests.size(); i++) {
      Peer& peer = peers[i % peers.size()];
      asked.emplace_back(&peer, peer.client().send(method, requests[i]));
    }
    for (Peer& each : peers) (void)each.client().flush();
    std::vector<json::value> answers;
    for (const auto& [peer, id] : asked) {
      const auto answer = peer->answer(id);
      EXPECT_TRUE(answer && answer->result) << (answer ? answer->result.error().message() : "no answer");
      answers.push_back(answer && answer->result ? *answer->result : json::value(nullptr));
    }
    return answers;
  }
  std::vector<json::object> for_each(const std::set<std::string>& ids) {
    std::vector<json::object> requests;
    for (const std::string& id : ids) requests.push_back({{"session", id}});
    return requests;
  }
};

TEST_F(Many, SessionsStartAtOnceAndLeaveNothing) {
  std::vector<Peer> peers;
  for (size_t i = 0; i < kClients; i++) peers.push_back(peer("client" + std::to_string(i)));
  const pid_t pid = daemon_pid(peers[0]);
  for (Peer& each : peers) each.ok("daemon.status");
  const size_t before = resting_descriptors(pid);

  const json::object request{{"command", json::array{"sleep", "1000"}}, {"cwd", home_.path()}};
  std::set<std::string> ids;
  std::set<std::string> names;
  for (const json::value& made : ask_all(peers, "session.create", std::vector(kClients * kEach, request))) {
    ASSERT_TRUE(made.is_object());
    ids.emplace(made.at("id").as_string());
    names.emplace(made.at("name").as_string());
  }
  EXPECT_EQ(kClients * kEach, ids.size());
  EXPECT_EQ(kClients * kEach, names.size());
  const json::value list = peers[0].ok("session.list");
  ASSERT_EQ(kClients * kEach, list.at("sessions").as_array().size());
  for (const json::value& each : list.at("sessions").as_array()) {
    EXPECT_EQ("running", std::string(each.at_pointer("/ptys/0/state").as_string()));
    const auto agent = each.at_pointer("/ptys/0/pid").to_number<pid_t>();
    EXPECT_THAT(support::read_file("/proc/" + std::to_string(agent) + "/cmdline"),
                testing::StartsWith(std::string("sleep\0", 6)));
  }
  EXPECT_EQ(kClients * kEach, home_.keepers().size());

  for (const json::value& gone : ask_all(peers, "session.kill", for_each(ids)))
    EXPECT_EQ(0, gone.at("survivors").to_number<int>());
  EXPECT_TRUE(support::wait_until([&] { return home_.keepers().empty(); }));
  EXPECT_EQ(0, peers[0].ok("daemon.status").at("sessions").to_number<int>());
  for (const json::value& forgotten : ask_all(peers, "session.kill", for_each(ids)))
    EXPECT_TRUE(forgotten.at("forgotten").as_bool());
  EXPECT_TRUE(peers[0].ok("session.list").at("sessions").as_array().empty());
  EXPECT_TRUE(std::filesystem::is_empty(home_.file("state/journals")));
  for (const std::string& id : ids)
    EXPECT_FALSE(std::filesystem::exists(home_.file("run/keepers/" + id + ".sock")));
  expect_healthy(before);
  EXPECT_TRUE(peers[0].ok("audit.verify").at("ok").as_bool());
}

}  // namespace
}  // namespace host_test
