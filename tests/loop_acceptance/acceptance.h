// SPDX-License-Identifier: Apache-2.0
// A person at a loop, with an agent of tests/agents. What must not have happened too early is judged by the
// times that the agent and the loop's record have written down, never by how fast the test was.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop_home.h"
#include "person.h"
#include "wire/params.h"

namespace acceptance {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

// A line of the agent `listens`.
struct Heard {
  Time at;
  pid_t pid = 0;
  std::string what;
};

class LoopAcceptance : public cli::LoopTest {
 protected:
  // The agent for the loops of this test; `settings`: more lines of tend.yml.
  void uses(const std::string& agent, const std::vector<std::string>& args = {},
            const std::string& settings = "") const;
  // `listens`, whose log it is.
  void uses_listener(std::vector<std::string> options = {}, const std::string& settings = "") const;

  std::vector<Heard> heard() const;
  std::vector<Heard> heard(std::string_view what) const;
  bool hears(std::string_view what, size_t count = 1) const;

  // The lines of this kind in the newest loop's record.
  std::vector<wire::json::object> events(std::string_view kind) const;
  bool comes(std::string_view kind, size_t count = 1) const;
  // Of the newest one.
  std::string text_of(std::string_view kind, std::string_view field) const;
  int64_t number_of(std::string_view kind, std::string_view field) const;
  static Time time_of(const wire::json::object& event);
  std::string text(int iteration) const;

  // As it was before: line settings, main screen, cursor shown, no mode left on.
  static void expect_restored(e2e::Person& person);
  static bool living(pid_t pid);
  // What was typed, and how the client ended.
  static int end_of(e2e::Person& person);
  std::string folder() const;
};

Time now();
// Until then, by the clock.
void wait_for(Time at);

}  // namespace acceptance
