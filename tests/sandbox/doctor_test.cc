// SPDX-License-Identifier: Apache-2.0
// tend doctor tries each thing that a sandbox needs, and says what to do about what is missing.
#include <sys/syscall.h>

#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;

class SandboxDoctor : public Cage {};
FOR_EVERYONE(SandboxDoctor);

constexpr const char* kChecks[] = {
    "user namespaces", "mount namespaces",   "PID namespaces",    "UTS namespaces",
    "IPC namespaces",  "network namespaces", "cgroup namespaces", "overlayfs in user namespaces",
    "seccomp filters", "Landlock",           "a /proc of its own"};

TEST_P(SandboxDoctor, TriesEverything) {
  const support::Json report = json_of("doctor");
  for (const char* check : kChecks) {
    bool found = false;
    for (const support::Json& each : report["checks"].array()) {
      if (each["check"].string() != std::string("sandbox: ") + check) continue;
      found = true;
      EXPECT_EQ("ok", each["state"].string()) << check;
    }
    EXPECT_TRUE(found) << check;
  }
}

TEST_P(SandboxDoctor, SaysWhatToDo) {
  put_script("\"$TEND\" doctor");
  const Said limited = says(
      "exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_net_namespaces && exec bash --norc ./script'");
  EXPECT_THAT(limited.out, HasSubstr("sandbox: network namespaces"));
  EXPECT_THAT(limited.out, HasSubstr("-> sysctl user.max_net_namespaces=10000"));
  const Said overlay = says("exec \"$REFUSE\" " + std::to_string(SYS_fsopen) + " 19 bash --norc ./script");
  EXPECT_THAT(overlay.out, HasSubstr("-> run Linux 5.11 or newer with overlayfs"));
  EXPECT_EQ(0, overlay.code) << "without a sandbox tend needs none of it";
}

}  // namespace
}  // namespace sandbox
