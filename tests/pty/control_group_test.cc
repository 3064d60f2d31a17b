// SPDX-License-Identifier: Apache-2.0
// Where control groups cannot be made there is nothing to test but that this is said.
#include "pty/control_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/ids.h"
#include "running_program.h"

namespace pty {
namespace {

TEST(ControlGroup, HoldsWhateverIsStartedInItAndKillsItAtOnce) {
  auto group = ControlGroup::create(open_own_control_group().get(), "tend-test-" + base::new_id());
  if (!group) {
    EXPECT_NE(0, ::access("/sys/fs/cgroup/cgroup.procs", W_OK)) << "this one could have been made";
    return;
  }
  const auto master = open_master({});
  const auto pid =
      spawn(master->get(), command({"sh", "-c", "setsid sleep 1000 & exec sleep 1000"}), group->folder());
  ASSERT_TRUE(pid);
  EXPECT_TRUE(support::wait_until([&] { return group->members().size() == 2; }));
  EXPECT_THAT(group->members(), testing::Contains(*pid));
  group->kill_all();
  EXPECT_TRUE(support::wait_until([&] {
    wait_any();
    return group->members().empty();
  }));
}

TEST(ControlGroup, IsNotMadeTwice) {
  const std::string name = "tend-test-" + base::new_id();
  const base::Fd own = open_own_control_group();
  const auto first = ControlGroup::create(own.get(), name);
  if (first) {
    EXPECT_FALSE(ControlGroup::create(own.get(), name));
  }
}

}  // namespace
}  // namespace pty
