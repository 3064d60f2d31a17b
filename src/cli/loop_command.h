// SPDX-License-Identifier: Apache-2.0
// tend loop: an agent that is started again and again until it has kept its promise; and what can be done
// about loops that run.
#pragma once
#include <string>

#include "cli/global_options.h"
#include "cli/loop_plan.h"

namespace cli {

// The loop's exit code (docs/loop.md), or a code of report.h.
int run_loop(const LoopOptions& options, const GlobalOptions& global);

struct LoopListOptions {
  bool json = false;
};
int list_loops(const LoopListOptions& options);

struct LoopAttachOptions {
  std::string name;  // empty: the only one that runs
  bool observe = false;
  std::optional<std::string> detach_key = {};
};
int attach_loop(const LoopAttachOptions& options, const GlobalOptions& global);

struct LoopStopOptions {
  std::string name;
  bool force = false;
  bool json = false;
};
int stop_loop(const LoopStopOptions& options);

struct LoopEventsOptions {
  std::string name;
  bool all = false;
  bool follow = false;
  bool json = false;
};
int loop_events(const LoopEventsOptions& options);

// The process that a loop's session leads with; for tend alone to call.
int run_loop_runner(const std::string& folder);

}  // namespace cli
