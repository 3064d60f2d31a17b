// SPDX-License-Identifier: Apache-2.0
// tend lab: lists and runs the scenarios of the Prompt Lab.
#pragma once
#include <string>
#include <vector>

namespace cli {

struct LabListOptions {
  bool json = false;
};
int list_scenarios(const LabListOptions& options);

struct LabRunOptions {
  std::vector<std::string> scenarios;  // ids or names
  bool all = false;
  bool json = false;
  bool verbose = false;
};
// kFailed if one does not hold, kBadUsage if there is no such one. A signal ends it, and what it started.
int run_scenarios(const LabRunOptions& options);

}  // namespace cli
