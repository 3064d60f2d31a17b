// SPDX-License-Identifier: Apache-2.0
// A folder with an agent of the test's own, and loops in it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "session_home.h"

namespace cli {

class LoopTest : public SessionTest {
 protected:
  void SetUp() override { support::write_file(work_.file("PROMPT.md"), "Do it.\n"); }

  // The agent, a shell script.
  void agent(const std::string& script) const {
    const std::string file = work_.file("agent.sh");
    support::write_file(file, "#!/bin/bash\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    support::write_file(work_.file("tend.yml"), "cli: {backend: custom, command: ./agent.sh}\n");
  }

  // `tend loop …` at a terminal, in the agent's folder.
  support::Start loop(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "loop");
    support::Start start = tend(std::move(arguments));
    start.cwd = work_.path().string();
    return start;
  }

  // As `tend loop ls --json` shows the newest one.
  support::Json newest() const {
    const support::Json all = json_of("loop ls --json");
    return all.array().empty() ? support::Json() : all[0];
  }
  bool is_in_state(const std::string& state) const {
    return support::wait_until([&] {
      const support::Json loop = newest();
      return !loop.is_null() && loop["state"].string() == state;
    });
  }
  std::string read_work(const std::string& name) const {
    return std::filesystem::exists(work_.file(name)) ? support::read_file(work_.file(name)) : "";
  }
};

}  // namespace cli
