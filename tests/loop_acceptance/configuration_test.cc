// SPDX-License-Identifier: Apache-2.0
// Configuration: which mode an iteration runs in.
#include <gmock/gmock.h>

#include "acceptance.h"

namespace acceptance {
namespace {

using e2e::Person;
using testing::HasSubstr;

// Given `pty_mode: true` in config, when an iteration starts and stdout is a TTY, then the agent is spawned
// in a PTY.
TEST_F(LoopAcceptance, PtyModeInConfigAndStdoutATtySpawnsTheAgentInAPty) {
  agent("[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty && echo LOOP_COMPLETE");
  support::write_file(work_.file("tend.yml"),
                      "cli: {backend: custom, command: ./agent.sh, pty_mode: true}\n");
  Person person(loop({}));
  EXPECT_EQ(end_of(person), 0);
  EXPECT_EQ(text_of("started", "mode"), "pty");
  EXPECT_EQ(text_of("iteration.started", "mode"), "pty");
  EXPECT_THAT(text(1), HasSubstr("/dev/pts/"));
}

// Given the `--pty` flag without `--observe`, when an iteration runs, then interactive mode is enabled (user
// input forwarded).
TEST_F(LoopAcceptance, PtyFlagWithoutObserveEnablesInteractiveMode) {
  uses_listener();
  Person person(loop({"--pty", "--idle-timeout", "0"}));
  ASSERT_TRUE(person.sees("ready"));
  EXPECT_EQ(text_of("iteration.started", "mode"), "pty");
  person.type("xq");
  EXPECT_EQ(end_of(person), 0);
  EXPECT_EQ(heard("key x").size(), 1U);
}

// On the command line it means a keyboard, whatever the settings say.
TEST_F(LoopAcceptance, PtyFlagGoesBeforePtyInteractiveFalse) {
  uses_listener();
  support::Start start = loop({"--pty", "--idle-timeout", "0"});
  start.argv.insert(start.argv.begin() + 1, {"--set", "cli.pty_interactive=false"});
  Person person(start);
  ASSERT_TRUE(person.sees("ready"));
  person.type("q");
  EXPECT_EQ(end_of(person), 0);
}

// Given the `--pty --observe` flags, when an iteration runs, then observe mode is enabled (user input
// ignored).
TEST_F(LoopAcceptance, PtyAndObserveFlagsEnableObserveMode) {
  uses_listener();
  // Long enough for the agent to start on a busy machine; its end is the timeout.
  Person person(loop({"--pty", "--observe", "--idle-timeout", "6", "--max-iterations", "1"}));
  ASSERT_TRUE(person.sees("ready"));
  EXPECT_EQ(text_of("iteration.started", "mode"), "observe");
  person.type("q");
  EXPECT_EQ(end_of(person), 5);
  EXPECT_TRUE(heard("key q").empty());
}

}  // namespace
}  // namespace acceptance
