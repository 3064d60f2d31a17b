// SPDX-License-Identifier: Apache-2.0
// A home of the test's own for the real program, and the program in it at a terminal.
#pragma once
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "support/temp_dir.h"
#include "support/terminal.h"
#include "support/wait.h"

namespace cli {

struct Said {
  int code = -1;
  std::string out;
  std::string err;
};

class TendTest : public testing::Test {
 protected:
  // The command line of `tend …`, to be started at a terminal.
  support::Start tend(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), TEND);
    return {.argv = std::move(arguments), .env = environment()};
  }
  // A shell script in which $TEND is the program.
  support::Start shell(const std::string& script) const {
    return {.argv = {"bash", "--norc", "-c", script}, .env = environment()};
  }
  // An interactive shell, with job control, whose prompt is "ready> ".
  support::Start interactive_shell() const {
    support::Start start{.argv = {"bash", "--norc", "--noprofile", "-i"}, .env = environment()};
    start.env["PS1"] = "ready> ";
    return start;
  }
  // Sanitizers leave SIGSEGV to tend's own handler, which is what is tested.
  std::map<std::string, std::string> environment() const {
    std::map<std::string, std::string> all{{"TEND_HOME", home_.path().string()},
                                           {"TEND", TEND},
                                           {"TERM", "xterm-256color"},
                                           {"PS1", "$ "},
                                           {"LC_ALL", "C.UTF-8"},
                                           {"HISTFILE", "/dev/null"}};
    all.merge(support::plain_signals());
    return all;
  }

  // `tend ARGUMENTS` as a script would run it, in a shell; `before` may feed it or set something.
  Said says(const std::string& arguments, const std::string& before = "") const {
    const support::TempDir files;
    support::Start start =
        shell(before + " \"$TEND\" " + arguments + " > " + files.file("out") + " 2> " + files.file("err"));
    start.cwd = work_.path().string();
    support::Terminal terminal(start);
    const int status = terminal.wait_exit().value_or(-1);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, support::read_file(files.file("out")),
            support::read_file(files.file("err"))};
  }

  // A session that has ended leaves no keeper behind. What it wrote stays readable for a while.
  bool no_keeper_is_left() const {
    return support::wait_until([&] {
      // One that waits for the next session has a hidden name.
      std::error_code none;
      for (const auto& entry : std::filesystem::directory_iterator(home_.path() / "run/keepers", none)) {
        if (!entry.path().filename().string().starts_with('.')) return false;
      }
      return true;
    });
  }

  // Nothing that a test started outlives it, whatever came of the test.
  void TearDown() override {
    if (!std::filesystem::exists(home_.path() / "run")) return;
    support::Terminal stop(tend({"daemon", "stop", "--kill"}));
    EXPECT_EQ(0, stop.wait_exit()) << stop.output();
    EXPECT_TRUE(no_keeper_is_left());
  }

  support::TempDir home_;
  support::TempDir work_;  // where scripts run
};

}  // namespace cli
