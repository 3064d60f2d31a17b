// SPDX-License-Identifier: Apache-2.0
// Real programs at a terminal in a sandbox: editors, shells with job control, and what agents use.
#include "sandbox_home.h"

namespace sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class Programs : public Cage {
 protected:
  support::Start attached(const std::string& command) const {
    return script("exec \"$TEND\" run --sandbox -n box -- " + command);
  }
};
FOR_EVERYONE(Programs);

TEST_P(Programs, JobControlWorks) {
  support::Terminal person(attached("env PS1='ready> ' bash --norc -i"));
  ASSERT_TRUE(person.expect("ready> ")) << person.output();
  person.type("tty; sleep 500\r");
  ASSERT_TRUE(person.expect("/dev/pts/")) << person.output();
  ASSERT_TRUE(shows("box", "sleep 500"));
  // Typed again until it hits the job: the shell may still be starting it.
  ASSERT_TRUE(support::wait_until([&] {
    person.type("\x1a");
    return person.expect("Stopped", std::chrono::milliseconds(500));
  })) << person.output();
  person.type("bg\r");
  ASSERT_TRUE(person.expect("sleep 500 &")) << person.output();
  person.type("jobs\r");
  ASSERT_TRUE(person.expect("Running")) << person.output();
  ASSERT_TRUE(person.expect("ready> ")) << person.output();
  person.type("fg\r");
  ASSERT_TRUE(person.expect("sleep 500")) << person.output();
  // The shell waits for the job, and does not read before it is gone.
  ASSERT_TRUE(support::wait_until([&] {
    person.type("\x03");
    return person.expect("ready> ", std::chrono::milliseconds(500));
  })) << person.output();
  person.type("\recho back$((40 + 2))\r");
  ASSERT_TRUE(person.expect("back42")) << person.output();
  EXPECT_THAT(person.output(), Not(HasSubstr("no job control")));
  person.type("exit\r");
  EXPECT_TRUE(person.wait_exit());
}

TEST_P(Programs, ResizeWorks) {
  support::Terminal person(attached("env PS1='ready> ' bash --norc -i"));
  ASSERT_TRUE(person.expect("ready> "));
  person.resize(100, 40);
  ASSERT_TRUE(support::wait_until([&] {
    person.type("stty size\r");
    return person.expect("40 100", std::chrono::milliseconds(500));
  })) << person.output();
  person.type("exit\r");
  EXPECT_TRUE(person.wait_exit());
}

TEST_P(Programs, VimEditsAFile) {
  put("home/project/text", "one\n");
  support::Terminal person(attached("vim -u NONE -n text"));
  ASSERT_TRUE(person.expect("one")) << person.output();
  person.type("otwo\x1b:wq\r");
  EXPECT_TRUE(person.wait_exit());
  EXPECT_EQ("one\ntwo\n", support::read_file(work() + "/text"));
}

TEST_P(Programs, GitPythonAndNodeWork) {
  const Said git = inside(
      "git init -q repo && cd repo && git config user.email a@b && git config user.name n && echo x > f && "
      "git add f && git commit -qm first && git log --oneline | wc -l");
  EXPECT_EQ("1\r\n", git.out) << git.err;
  EXPECT_EQ("42\r\n", inside("/usr/bin/python3 -c \"import subprocess, tempfile, multiprocessing as m; "
                             "p = m.Pool(2); print(sum(p.map(abs, [-40, -2])))\"")
                          .out);
  EXPECT_EQ("42\r\n", inside("node -e \"const {execSync} = require(\\\"child_process\\\"); "
                             "require(\\\"fs\\\").writeFileSync(\\\"n\\\", \\\"x\\\"); "
                             "console.log(execSync(\\\"echo 42\\\").toString().trim())\"")
                          .out);
  EXPECT_EQ(0, inside("npm --version").code);
}

TEST_P(Programs, WhatNeedsRootFailsWithItsOwnMessage) {
  const Said apt = inside("apt-get install -y hello 2>&1");
  EXPECT_EQ(100, apt.code);
  EXPECT_THAT(apt.out, testing::AnyOf(HasSubstr("Permission denied"), HasSubstr("Read-only file system"),
                                      HasSubstr("are you root")));
}

}  // namespace
}  // namespace sandbox
