// SPDX-License-Identifier: Apache-2.0
// A daemon that is killed at each step of an answer: what is known afterwards is true, and nothing is sent
// twice. The program writes down what it reads.
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>

#include "daemon_fixture.h"
#include "session/fault_points.h"

namespace host_test {
namespace {

class PromptFaults : public DaemonTest, public testing::WithParamInterface<std::string_view> {
 protected:
  void SetUp() override {
    ::setenv("TEND_FAULT", std::string(GetParam()).c_str(), 1);
    DaemonTest::SetUp();
    // The next daemon is a whole one.
    ::unsetenv("TEND_FAULT");
  }
  std::string open(Peer& peer) {
    const json::value list = peer.ok("prompt.list");
    return std::string(list.as_array().at(0).at("id").as_string());
  }
  std::string read_log() { return support::read_file(home_.file("read")); }
};

TEST_P(PromptFaults, LeavesATrueOutcome) {
  std::string id;
  std::string prompt_id;
  {
    Peer peer = this->peer();
    id = run(peer, "while printf 'Say: '; read a; do echo \"$a\" >> " + home_.file("read") + "; done");
    const auto came = peer.ok("pty.wait", {{"session", id}, {"until", "waiting"}, {"timeout_ms", 60'000}});
    prompt_id = came.at_pointer("/prompt/id").as_string();
    const pid_t old = daemon_pid(peer);
    EXPECT_FALSE(peer.client().call("prompt.answer", {{"prompt_id", prompt_id}, {"answer", "once"}}));
    wait_for_another(old);
  }
  Peer peer = this->peer();
  const bool was_written = GetParam() == "after_write" || GetParam() == "before_outcome";
  ASSERT_TRUE(!was_written || support::wait_until([&] { return !read_log().empty(); }));
  EXPECT_EQ(was_written ? "once\n" : "", read_log());
  const auto state = [&] { return peer.ok("prompt.get", {{"prompt_id", prompt_id}}).as_object(); };
  if (GetParam() == "after_claim" || GetParam() == "before_intent") {
    // Nothing was meant yet: it waits, under the same name.
    ASSERT_EQ("awaiting", state().at("state").as_string());
    ASSERT_TRUE(support::wait_until([&] { return peer.ok("prompt.list").as_array().size() == 1; }));
    EXPECT_EQ(prompt_id, open(peer));
  } else {
    EXPECT_EQ("answered", state().at("state").as_string());
    EXPECT_EQ("unknown", state().at("outcome").as_string());
    EXPECT_EQ("PROMPT_STALE", peer.code("prompt.answer", {{"prompt_id", prompt_id}, {"answer", "twice"}}));
    ASSERT_TRUE(support::wait_until([&] { return peer.ok("prompt.list").as_array().size() == 1; }));
    EXPECT_NE(prompt_id, open(peer));
  }
  // The way is free again.
  peer.ok("prompt.answer", {{"prompt_id", open(peer)}, {"answer", "next"}});
  ASSERT_TRUE(support::wait_until([&] { return read_log().ends_with("next\n"); }));
  EXPECT_EQ(was_written ? "once\nnext\n" : "next\n", read_log());
}

INSTANTIATE_TEST_SUITE_P(All, PromptFaults, testing::ValuesIn(session::kFaultPoints),
                         [](const auto& about) { return std::string(about.param); });

}  // namespace
}  // namespace host_test
