// SPDX-License-Identifier: Apache-2.0
// A program in a PTY that is looked at.
#pragma once
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "pty/probe.h"
#include "running_program.h"

namespace pty {

inline void PrintTo(const Look& look, std::ostream* out) {
  *out << name_of(look.verdict) << ", " << look.command << " in " << name_of(look.call) << " timeout "
       << look.timeout_ms << (look.canonical ? " canonical" : " raw") << (look.echo ? " echo" : "")
       << (look.shell ? " shell" : "") << (look.relayed ? " relayed" : "") << ", group " << look.group
       << " reader " << look.reader << "/" << look.thread << " turns " << look.turns << ", unread "
       << look.unread << ", processes " << look.processes << " threads " << look.threads << " refused "
       << look.refused << ", sockets " << look.sockets << " requests " << look.requests << " pipes "
       << look.pipes << " timers " << look.timers;
}

class ProbedProgram {
 public:
  using Condition = std::function<bool(const Look&)>;

  explicit ProbedProgram(std::vector<std::string> argv) : program_(with_path(std::move(argv))) {}

  RunningProgram& program() { return program_; }
  void type(std::string_view keys) const { program_.type(keys); }

  Look look() {
    for (;;) {
      const auto step = program_.pump().step();
      if (!step || step->state != Pump::State::moved) break;
    }
    return Probe(program_.master(), program_.pid()).look();
  }

  // Until it is so in this many looks without a break between.
  testing::AssertionResult becomes(const Condition& condition, int looks = 20) {
    Look last;
    int count = 0;
    const bool good = support::wait_until([&] {
      last = look();
      count = condition(last) ? count + 1 : 0;
      return count >= looks;
    });
    if (good) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "the last look: " << testing::PrintToString(last);
  }

  // From now on, for this many looks.
  testing::AssertionResult stays(const Condition& condition, int looks = 200) {
    for (int i = 0; i < looks; i++) {
      const Look now = look();
      if (!condition(now))
        return testing::AssertionFailure() << "look " << i << ": " << testing::PrintToString(now);
    }
    return testing::AssertionSuccess();
  }

 private:
  // Node may be installed anywhere.
  static Command with_path(std::vector<std::string> argv) {
    Command result = command(std::move(argv));
    const char* path = std::getenv("PATH");
    result.env[0] += std::string(":") + (path != nullptr ? path : "");
    return result;
  }

  RunningProgram program_;
};

inline ProbedProgram::Condition is(Look::Verdict verdict) {
  return [verdict](const Look& look) { return look.verdict == verdict; };
}

inline std::vector<std::string> bash(std::string script) { return {"bash", "-c", std::move(script)}; }
inline std::vector<std::string> python(std::string script) { return {"python3", "-c", std::move(script)}; }
inline std::vector<std::string> node(std::string script) { return {"node", "-e", std::move(script)}; }

}  // namespace pty
