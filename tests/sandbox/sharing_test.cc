// SPDX-License-Identifier: Apache-2.0
// The agent and its shells are in one world, which ends with the session.
#include <fstream>

#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;

class Sharing : public Cage {
 protected:
  // How many processes of this machine have the mark in their command line.
  static int count(const std::string& mark) {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string line = support::read_file(entry.path() / "cmdline");
      if (line.find(mark) != std::string::npos && line.starts_with("sleep")) found++;
    }
    return found;
  }
};
FOR_EVERYONE(Sharing);

constexpr const char* kWorld =
    "{ for n in mnt pid uts ipc net user cgroup; do readlink /proc/self/ns/$n; done; hostname; "
    "findmnt -rno TARGET,FSTYPE 2>/dev/null | sort | cksum; ls /proc | grep -c \"^1$\"; }";

TEST_P(Sharing, AgentAndTwoShellsSeeTheSameWorld) {
  start("box", std::string(kWorld) + "> world.agent; echo mark > /tmp/mark; echo pid $$; exec sleep 600",
        "--set sandbox.network=none");
  ASSERT_TRUE(shows("box", "pid 2")) << "the agent is the second process";
  for (const char* shell : {"1", "2"}) {
    put_script(std::string(kWorld) + "> world." + shell + "; cat /tmp/mark; ps -e -o pid=,comm=; sleep 600");
    const Said said = says("\"$TEND\" shell -d box -- sh -c '. ./script'");
    ASSERT_EQ(0, said.code) << said.err;
    ASSERT_TRUE(shows(std::string("box:") + shell, "mark")) << "it sees the agent's /tmp";
    ASSERT_TRUE(shows(std::string("box:") + shell, "2 sleep")) << "and the agent";
  }
  const std::string world = support::read_file(work() + "/world.agent");
  EXPECT_THAT(world, HasSubstr("\nbox\n")) << "the host is called like the session";
  EXPECT_EQ(world, support::read_file(work() + "/world.1"));
  EXPECT_EQ(world, support::read_file(work() + "/world.2"));
  put_script(std::string(kWorld) + "> world.outside");
  ASSERT_EQ(0, says("\"$TEND\" run -- sh -c '. ./script'").code);
  EXPECT_NE(world, support::read_file(work() + "/world.outside"));
}

TEST_P(Sharing, ZombiesAreReaped) {
  const Said said = inside(
      "for i in 1 2 3 4 5; do (sh -c \"exit 0\" & ) ; (setsid sh -c \"true & exit 0\" &) ; done; "
      "for i in 1 2 3 4 5 6 7 8 9 10; do ps -e -o stat= | grep -q Z || break; sleep 0.1; done; ps -e -o "
      "stat= | grep -c Z");
  EXPECT_EQ("0\r\n", said.out);
}

TEST_P(Sharing, KillingTheSessionLeavesNothing) {
  const std::string mark = "60" + std::to_string(::getpid()) + (GetParam() == Who::somebody ? "1" : "0");
  start("box", "sleep " + mark + " & setsid sleep " + mark + " & (setsid sh -c \"sleep " + mark +
                   " & exit 0\" &) ; env -i setsid nohup sleep " + mark +
                   " > /dev/null 2>&1 & trap \"\" TERM HUP; echo up; while :; do sleep " + mark + "; done");
  ASSERT_TRUE(shows("box", "up"));
  ASSERT_TRUE(support::wait_until([&] { return count(mark) == 5; })) << count(mark);
  EXPECT_EQ(0, says("\"$TEND\" kill --force box").code);
  EXPECT_TRUE(support::wait_until([&] { return count(mark) == 0; }));
  EXPECT_TRUE(no_keeper_is_left());
}

TEST_P(Sharing, NumbersOfProcessesAreTheHostsOutside) {
  start("box", "echo up; exec sleep 600");
  ASSERT_TRUE(shows("box", "up"));
  const auto pid = json_of("status box")["ptys"].array()[0]["pid"].integer();
  EXPECT_GT(pid, 2);
  EXPECT_TRUE(support::wait_until(
      [&] { return support::read_file("/proc/" + std::to_string(pid) + "/comm") == "sleep\n"; }));
}

TEST_P(Sharing, ACommandCanBeRunInAShellOfIt) {
  start("box", "PS1=; exec sh -i");
  const Said said = says("\"$TEND\" exec box -- 'echo in $(hostname); exit 3 | false'");
  EXPECT_EQ("in box\n", said.out) << said.err;
}

}  // namespace
}  // namespace sandbox
