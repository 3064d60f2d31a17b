// SPDX-License-Identifier: Apache-2.0
// Machines that lack something: what is missing is named with what to do about it, and only who asks for it
// goes without.
#include <sys/syscall.h>

#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class Missing : public Cage {
 protected:
  // In a user namespace in which there can be no more of a kind; the daemon lives in there, too.
  Said without(const std::string& kind, const std::string& text) const {
    put_script(text);
    return says("exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_" + kind +
                "_namespaces && exec bash --norc ./script'");
  }
  static std::string run(const std::string& settings, const std::string& then = "") {
    return "\"$TEND\" " + settings + " run --sandbox -d -n box -- sleep 600; code=$?; " + then +
           "\n\"$TEND\" daemon stop --kill > /dev/null; exit $code";
  }
};
FOR_EVERYONE(Missing);

TEST_P(Missing, UserNamespacesAreNamed) {
  const Said said = without("user", run(""));
  EXPECT_NE(0, said.code);
  EXPECT_THAT(said.err, HasSubstr("the sandbox needs user namespaces"));
  EXPECT_THAT(said.err, HasSubstr("sysctl user.max_user_namespaces=10000"));
  EXPECT_THAT(said.err, HasSubstr("sandbox.best_effort"));
}

TEST_P(Missing, BestEffortSaysWhatItDoesWithout) {
  const Said said = without("user", run("--set sandbox.best_effort=true",
                                        "\"$TEND\" ls; \"$TEND\" status box; \"$TEND\" ls --json"));
  EXPECT_EQ(0, said.code) << said.err;
  EXPECT_THAT(said.out, HasSubstr("SANDBOX"));
  EXPECT_THAT(said.out, HasSubstr("missing: no user namespaces"));
  EXPECT_THAT(said.out, HasSubstr("sandbox      root readonly, network host; missing: no user namespaces"));
  EXPECT_THAT(said.out, HasSubstr("\"missing\":[\"no user namespaces (No space left on device)\""));
}

TEST_P(Missing, NetworkNamespacesAreNamed) {
  const Said strict = without("net", run("--set sandbox.network=none"));
  EXPECT_NE(0, strict.code);
  EXPECT_THAT(strict.err, HasSubstr("the sandbox needs network namespaces"));
  const Said loose = without(
      "net", run("--set sandbox.network=none --set sandbox.best_effort=true", "\"$TEND\" status box"));
  EXPECT_EQ(0, loose.code) << loose.err;
  EXPECT_THAT(loose.out, HasSubstr("missing: no network namespaces"));
  EXPECT_THAT(loose.out, Not(HasSubstr("no user namespaces")));
}

TEST_P(Missing, OverlayIsNamed) {
  const std::string refuse = "exec \"$REFUSE\" " + std::to_string(SYS_fsopen) + " 19 bash --norc ./script";
  put_script(run("--set sandbox.root=overlay"));
  const Said strict = says(refuse);
  EXPECT_NE(0, strict.code);
  EXPECT_THAT(strict.err, HasSubstr("the sandbox needs overlayfs in user namespaces"));
  EXPECT_THAT(strict.err, HasSubstr("sandbox.root: readonly"));
  put_script(run("--set sandbox.root=overlay --set sandbox.best_effort=true", "\"$TEND\" status box"));
  const Said loose = says(refuse);
  EXPECT_EQ(0, loose.code) << loose.err;
  EXPECT_THAT(loose.out, HasSubstr("missing: no overlayfs in user namespaces (No such device)"));
}

TEST_P(Missing, AnOldKernelIsNamed) {
  put_script(run(""));
  const Said said = says("exec \"$REFUSE\" " + std::to_string(SYS_open_tree) + " 38 bash --norc ./script");
  EXPECT_NE(0, said.code);
  EXPECT_THAT(said.err, HasSubstr("Linux 5.12"));
}

// Whether this machine delegates them or not: a group without controllers in it has no limits to give.
TEST_P(Missing, ControlGroupsAreNamed) {
  const std::string limits = "--set sandbox.memory_bytes=1000000000 --set sandbox.max_pids=500";
  put_script(run(limits, "\"$TEND\" status box; grep . /sys/fs/cgroup/cgroup.controllers"));
  const std::string hide = "exec \"$REFUSE\" " + std::to_string(SYS_mkdirat) + " 30 bash --norc ./script";
  const Said strict = says(hide);
  EXPECT_NE(0, strict.code);
  EXPECT_THAT(strict.err, HasSubstr("the sandbox needs cgroup v2 limits (memory, pids, cpu)"));
  EXPECT_THAT(strict.err, HasSubstr("Delegate=yes"));
}

TEST_P(Missing, ControlGroupsAreDoneWithoutWhereThatIsAllowed) {
  put_script(run("--set sandbox.max_pids=500 --set sandbox.best_effort=true", "\"$TEND\" status box"));
  const Said said = says("exec bash --norc ./script");
  EXPECT_EQ(0, said.code) << said.err;
  // Here they can be had, or it says that they cannot.
  EXPECT_THAT(said.out, HasSubstr("sandbox      root readonly, network host"));
}

TEST_P(Missing, ASecondWallIsNotNeeded) {
  put_script("\"$TEND\" run --sandbox -- sh -c \"echo x > /etc/x; echo in\"; \"$TEND\" daemon stop --kill");
  const Said said =
      says("exec \"$REFUSE\" " + std::to_string(SYS_landlock_create_ruleset) + " 38 bash --norc ./script");
  EXPECT_THAT(said.out, HasSubstr("in\r\n"));
  EXPECT_THAT(said.out, HasSubstr("Read-only file system"));
}

}  // namespace
}  // namespace sandbox
