// SPDX-License-Identifier: Apache-2.0
// Fallback Behavior.
#include <gmock/gmock.h>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kWhereAmI = "[ -t 1 ] && echo a terminal || echo no terminal; echo LOOP_COMPLETE";

// Given PTY mode is enabled, when stdout is not a TTY, then a warning is logged and headless mode is used.
TEST_F(LoopAcceptance, StdoutThatIsNotATtyFallsBackToHeadlessWithAWarning) {
  agent(kWhereAmI);
  const cli::Said said = says("loop --pty");
  EXPECT_EQ(0, said.code) << said.err;
  EXPECT_THAT(said.err, StartsWith("PTY mode requested but stdout is not a TTY, falling back to headless\n"));
  EXPECT_THAT(said.out, HasSubstr("no terminal\n"));
  EXPECT_EQ(text_of("iteration.started", "mode"), "headless");
}

// Given PTY allocation fails, when an iteration starts, then an error is logged and headless mode is used as
// fallback.
//
// The daemon and the keeper live in a mount namespace whose devpts has one PTY to give, which is the
// runner's.
TEST_F(LoopAcceptance, PtyAllocationThatFailsFallsBackToHeadlessWithAnError) {
  agent(kWhereAmI);
  Person person([&] {
    support::Start start = shell(
        "unshare --mount sh -c 'mount -t devpts -o newinstance,ptmxmode=0666,max=1 devpts /dev/pts && "
        "mount --bind /dev/pts/ptmx /dev/ptmx || { echo this needs a mount namespace, as root; exit 99; }; "
        "exec \"$TEND\" loop --pty'");
    start.cwd = work_.path().string();
    return start;
  }());
  EXPECT_EQ(end_of(person), 0) << person.terminal().output();
  EXPECT_EQ(text_of("mode.fallback", "from"), "pty");
  EXPECT_EQ(text_of("mode.fallback", "to"), "headless");
  EXPECT_THAT(text_of("mode.fallback", "reason"), HasSubstr("no terminals left"));
  EXPECT_THAT(person.terminal().output(), HasSubstr("falling back to headless"));
  EXPECT_THAT(person.terminal().output(), HasSubstr("no terminal"));
  EXPECT_EQ(text_of("ended", "why"), "promise kept");
  expect_restored(person);
}

}  // namespace
}  // namespace acceptance
