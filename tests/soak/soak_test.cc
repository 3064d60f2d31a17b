// SPDX-License-Identifier: Apache-2.0
// Sessions under load while the daemon is killed with SIGKILL again and again: whoever starts the next one,
// its keepers or a command, no session, no byte of output and no exit status is lost. SOAK_ROUNDS says how
// often.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/folders.h"
#include "support/temp_dir.h"
#include "support/wait.h"
#include "wire/client.h"
#include "wire/params.h"
#include "wire/reach.h"

namespace {

namespace json = wire::json;
using base::Result;
using std::chrono::milliseconds;

constexpr int kSessions = 20;

int rounds() {
  const char* given = std::getenv("SOAK_ROUNDS");
  return given != nullptr ? std::atoi(given) : 50;
}

std::string expected_output(int lines) {
  std::string text;
  for (int i = 0; i < lines; i++)
    text += fmt::format("{:08} the quick brown fox jumps over the lazy dog\r\n", i);
  return text;
}

struct Plan {
  int lines;
  int pause_us;
  int code;
  std::string id;
};

class Soak : public testing::Test {
 protected:
  void SetUp() override {
    home_ = (dir_.path() / "home").string();
    ::setenv("TEND_HOME", home_.c_str(), 1);
    auto folders = base::find_folders(std::getenv);
    ASSERT_TRUE(folders);
    folders_ = *folders;
  }

  void TearDown() override {
    auto client = reach();
    if (client) (void)client->call("daemon.shutdown", {{"kill", true}}, std::chrono::seconds(60));
  }

  Result<wire::Client> reach() {
    return wire::reach(folders_, TEND_DAEMON, {.agent = "soak", .channel = "test"});
  }
  Result<wire::Client> reach_revived() {
    Result<wire::Client> client = base::fail(base::Code::internal, 0, "not tried");
    support::wait_until([&] {
      client = wire::reach_running(folders_, {.agent = "soak", .channel = "test"});
      return client.has_value();
    });
    return client;
  }

  // Asks until some daemon answers.
  Result<json::value> ask(std::string_view method, const json::object& params) {
    Result<json::value> answer = base::fail(base::Code::internal, 0, "not asked");
    support::wait_until([&] {
      if (!client_) {
        auto client = by_keepers_ ? reach_revived() : reach();
        if (!client) return false;
        client_ = std::move(*client);
      }
      answer = client_->call(method, params, std::chrono::seconds(30));
      if (answer || answer.error().code != base::Code::internal) return true;
      client_.reset();
      return false;
    });
    return answer;
  }

  int daemon_pid() {
    const auto status = ask("daemon.status", {});
    return status ? static_cast<int>(wire::integer(status->as_object(), "pid").value_or(0)) : 0;
  }

  Plan start(std::mt19937& random) {
    Plan plan{.lines = std::uniform_int_distribution(50, 3000)(random),
              .pause_us = std::uniform_int_distribution(0, 30000)(random),
              .code = std::uniform_int_distribution(0, 255)(random),
              .id = {}};
    const auto made = ask("session.create",
                          {{"command", json::array{WRITER, std::to_string(plan.lines),
                                                   std::to_string(plan.pause_us), std::to_string(plan.code)}},
                           {"cwd", "/"}});
    EXPECT_TRUE(made) << made.error().message();
    if (made) plan.id = wire::text(made->as_object(), "id").value_or("");
    return plan;
  }

  std::string read_all(const std::string& id) {
    std::string output;
    for (;;) {
      const auto piece = ask("pty.read", {{"session", id}, {"since", output.size()}, {"max_bytes", 131072}});
      if (!piece) return output + "\n[" + piece.error().message() + "]";
      const json::object& object = piece->as_object();
      EXPECT_EQ(wire::integer(object, "lost_bytes"), 0);
      const std::string data = wire::text(object, "data").value_or("");
      if (data.empty()) return output;
      output += data;
    }
  }

  void check(const Plan& plan) {
    std::optional<int64_t> code;
    const bool ended = support::wait_until([&] {
      const auto session = ask("session.get", {{"session", plan.id}});
      if (!session) {
        ADD_FAILURE() << plan.id << ": " << session.error().message();
        return true;
      }
      const json::array& ptys = session->at("ptys").as_array();
      if (ptys.empty() || ptys[0].at("state").as_string() != "dead") return false;
      code = wire::integer(ptys[0].as_object(), "exit_code");
      return true;
    });
    EXPECT_TRUE(ended) << plan.id;
    EXPECT_EQ(code, plan.code) << plan.id;
    const std::string output = read_all(plan.id);
    const std::string expected = expected_output(plan.lines);
    EXPECT_TRUE(output == expected)
        << plan.id << ": " << output.size() << " bytes of " << expected.size() << ", the same up to "
        << std::mismatch(output.begin(), output.end(), expected.begin(), expected.end()).first -
               output.begin()
        << "\n"
        << support::read_file(folders_.state + "/daemon.log");
    const auto forgotten = ask("session.kill", {{"session", plan.id}});
    EXPECT_TRUE(forgotten) << plan.id;
  }

  support::TempDir dir_;
  std::string home_;
  base::Folders folders_;
  std::optional<wire::Client> client_;
  bool by_keepers_ = false;
};

TEST_F(Soak, KillingTheDaemonLosesNothing) {
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < rounds() && !HasFailure(); round++) {
    SCOPED_TRACE(fmt::format("round {}", round));
    by_keepers_ = false;
    std::vector<Plan> plans;
    for (int i = 0; i < kSessions; i++) plans.push_back(start(random));
    // However slow the machine is, there is a keeper that misses the daemon.
    const auto lasting = ask("session.create", {{"command", json::array{"cat"}}, {"cwd", "/"}});
    ASSERT_TRUE(lasting) << lasting.error().message();
    const int kills = std::uniform_int_distribution(1, 3)(random);
    for (int i = 0; i < kills; i++) {
      const int pid = daemon_pid();
      ASSERT_GT(pid, 0);
      // The moment is random; that it comes at all is what is waited for.
      std::this_thread::sleep_for(milliseconds(std::uniform_int_distribution(0, 300)(random)));
      ASSERT_EQ(::kill(pid, SIGKILL), 0);
      client_.reset();
      // Long enough for a keeper, which gives up its pauses only after a daemon that lasted.
      by_keepers_ = i == 0 && round % 2 == 0;
    }
    by_keepers_ = false;
    for (const Plan& plan : plans) check(plan);
    EXPECT_TRUE(ask("session.kill", {{"session", lasting->at("id")}, {"force", true}}));
    if (round % 10 == 9) fmt::print("{} rounds, {} sessions\n", round + 1, (round + 1) * kSessions);
  }
  const auto verified = ask("audit.verify", {});
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_TRUE(verified->at("ok").as_bool()) << json::serialize(*verified);
}

}  // namespace
