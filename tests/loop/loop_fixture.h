// SPDX-License-Identifier: Apache-2.0
// A loop of the test's own: a real daemon, the real runner in a session, and an agent from tests/agents.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "daemon_fixture.h"
#include "loop/mode.h"

namespace loop_test {

namespace json = wire::json;

struct LoopStart {
  std::string agent;                   // of tests/agents; or a path
  std::vector<std::string> args = {};  // before the prompt
  loop::Mode mode = loop::Mode::interactive;
  std::vector<std::string> settings = {};  // section.key=value
  std::string prompt = "do it";            // empty: PROMPT.md
};

class LoopTest : public host_test::DaemonTest {
 protected:
  void start(const LoopStart& how);

  // Waits for the end; gives the exit code of the loop, as its record has it.
  int finish();
  std::string why() { return text_of("ended", "why"); }
  // The lines of that kind so far.
  std::vector<json::object> events(std::string_view kind) const;
  bool comes(std::string_view kind, size_t count = 1) const;
  // Of the newest event of that kind.
  std::string text_of(std::string_view kind, std::string_view field) const;
  int64_t number_of(std::string_view kind, std::string_view field) const;
  std::string text(int iteration) const;

  // Of PTY 0 or 1, or 0.
  pid_t pid_of(int pty);
  bool living(pid_t pid) const;
  std::string write(const std::string& name, const std::string& text) const;

  std::string folder_;
  std::string session_;
};

}  // namespace loop_test
