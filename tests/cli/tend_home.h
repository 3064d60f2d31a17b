// SPDX-License-Identifier: Apache-2.0
// A home of the test's own for the real program, and the program in it at a terminal.
#pragma once
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "support/terminal.h"
#include "support/wait.h"

namespace cli {

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
    return {{"TEND_HOME", home_.path().string()},
            {"TEND", TEND},
            {"TERM", "xterm-256color"},
            {"PS1", "$ "},
            {"LC_ALL", "C.UTF-8"},
            {"HISTFILE", "/dev/null"},
            {"ASAN_OPTIONS", "handle_segv=0"},
            {"TSAN_OPTIONS", "handle_segv=0"}};
  }

  // Sessions leave nothing behind: no socket, no journal.
  bool home_is_empty() const {
    return support::wait_until([&] {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.path())) {
        if (!entry.is_directory()) return false;
      }
      return true;
    });
  }

  support::TempDir home_;
};

}  // namespace cli
