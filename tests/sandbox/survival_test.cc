// SPDX-License-Identifier: Apache-2.0
// A sandbox outlives its daemon, and its keeper is found again with everything that was known of it.
#include <csignal>

#include "sandbox_home.h"

namespace sandbox {
namespace {

class Survival : public Cage {
 protected:
  static int parent_of(int pid) {
    const std::string text = support::read_file("/proc/" + std::to_string(pid) + "/status");
    const size_t at = text.find("\nPPid:\t");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + 7));
  }
  int daemon() const { return json_of("status")["daemon"]["pid"].integer(); }
};
FOR_EVERYONE(Survival);

TEST_P(Survival, ADaemonThatWasKilledComesBackByItself) {
  start("box", "echo up; while read line; do echo got $line; done");
  ASSERT_TRUE(shows("box", "up"));
  const int killed = daemon();
  ASSERT_EQ(0, ::kill(killed, SIGKILL));
  // Nobody calls it: the keeper has it started, through the process that stays outside.
  EXPECT_TRUE(support::wait_until([&] {
    const std::string pid = support::read_file(at("tend/state/daemon.lock"));
    return !pid.empty() && std::stoi(pid) != killed && ::kill(std::stoi(pid), 0) == 0;
  }));
  EXPECT_EQ(0, says("\"$TEND\" send box hello --enter").code);
  EXPECT_TRUE(shows("box", "got hello"));
  const support::Json status = json_of("status box");
  EXPECT_EQ("readonly", status["sandbox"]["root"].string());
  EXPECT_EQ("host", status["sandbox"]["network"].string());
  // Shells start in the same world still.
  EXPECT_EQ(0, says("\"$TEND\" shell -d box -- sh -c 'hostname; ps -e | grep -c sh; sleep 600'").code);
  EXPECT_TRUE(shows("box:1", "box"));
}

TEST_P(Survival, ADaemonThatWasStoppedFindsItAgain) {
  start("box", "echo up; exec sleep 600", "--set sandbox.network=none --set sandbox.best_effort=true");
  ASSERT_TRUE(shows("box", "up"));
  EXPECT_EQ(0, says("\"$TEND\" daemon stop").code);
  const support::Json status = json_of("status box");
  EXPECT_EQ("none", status["sandbox"]["network"].string());
  EXPECT_TRUE(status["sandbox"]["missing"].array().empty());
  EXPECT_EQ("running", status["ptys"].array()[0]["state"].string());
}

TEST_P(Survival, NothingDependsOnTheHelperOutside) {
  start("box", "echo up; while read line; do echo got $line; done", "--set sandbox.root=overlay");
  ASSERT_TRUE(shows("box", "up"));
  const int keeper = parent_of(json_of("status box")["ptys"].array()[0]["pid"].integer());
  const int helper = parent_of(keeper);
  ASSERT_EQ("tend-keeper\n", support::read_file("/proc/" + std::to_string(helper) + "/comm"));
  ASSERT_EQ(0, ::kill(helper, SIGKILL));
  ASSERT_TRUE(support::wait_until([&] { return ::kill(helper, 0) != 0; }));
  EXPECT_EQ(0, says("\"$TEND\" send box hello --enter").code);
  EXPECT_TRUE(shows("box", "got hello"));
  EXPECT_EQ(0, says("\"$TEND\" kill --force box").code);
  EXPECT_TRUE(no_keeper_is_left());
  // What it would have thrown away goes with the next daemon.
  EXPECT_FALSE(std::filesystem::is_empty(at("tend/state/overlays")));
  EXPECT_EQ(0, says("\"$TEND\" daemon stop").code);
  EXPECT_EQ(0, says("\"$TEND\" ls --json").code);
  EXPECT_TRUE(support::wait_until([&] { return std::filesystem::is_empty(at("tend/state/overlays")); }));
}

TEST_P(Survival, AProgramThatCannotBeStartedLeavesNothing) {
  const Said said = says("\"$TEND\" run --sandbox -- /no/such/program");
  EXPECT_NE(0, said.code);
  EXPECT_THAT(said.err, testing::HasSubstr("cannot start /no/such/program"));
  EXPECT_TRUE(no_keeper_is_left());
}

}  // namespace
}  // namespace sandbox
