// SPDX-License-Identifier: Apache-2.0
// Scenarios of the Prompt Lab: each is a situation that the detector must get right, by a number for ever. A
// scenario is one function over a Trial (trial.h), which starts its programs and takes down its checks.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "detect/detector.h"

namespace lab {

class Trial;

struct Scenario {
  std::string_view id;    // "QA-001"
  std::string_view name;  // "PartialLinePromptScenario"
  std::string_view description;
  std::string_view platform;
  void (*run)(Trial&);
};

// In the order of their numbers.
std::span<const Scenario> scenarios();
// By id or name, in capitals or not; null if there is none.
const Scenario* find_scenario(std::string_view id_or_name);

// What they run under. All but `tend` and `stop` is for tests that must fail.
struct Conditions {
  std::string tend;  // this program, which plays some of the parts (programs.h)
  int stop = -1;     // readable when a person wants it all to end
  base::Duration deadline = std::chrono::seconds(20);  // for each thing that is waited for
  int patience = 1;  // how many times as long as it should something may take, where others compute too
  detect::Settings settings = {};
  const detect::Patterns* patterns = nullptr;
  std::function<void(detect::Evidence&)> veil = {};
  std::function<void(std::string&)> forge = {};   // the configuration of a scenario's own daemon
  std::function<void(std::string&)> garble = {};  // what people say to its channel
};

struct Check {
  std::string name;
  std::string expected;
  std::string actual;
  bool passed = false;
};

struct Figure {
  std::string name;
  double value = 0;
  std::string_view unit;
};

struct Outcome {
  std::vector<Check> checks;
  std::vector<Figure> figures;
  std::vector<std::string> log;  // what was seen: output, looks, changes
  base::Duration took{};
  bool stopped = false;  // somebody wanted it to end, and nothing is proved

  bool passed() const;
};

Outcome run(const Scenario& scenario, const Conditions& conditions);

}  // namespace lab
