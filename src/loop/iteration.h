// SPDX-License-Identifier: Apache-2.0
// One iteration: the agent is started once and watched until it and all it has started are gone.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "loop/agent_pty.h"
#include "loop/backend.h"
#include "loop/ear.h"
#include "loop/outcome.h"
#include "loop/record.h"
#include "loop/station.h"

namespace loop {

// What stays the same from one iteration to the next.
struct Workplace {
  Station& station;
  Record& record;
  const config::Config& settings;
  const Plan& plan;
  const std::string& session;
};

struct Task {
  int iteration = 1;
  Invocation invocation = {};
  base::Moment deadline{};  // of the loop
};

// What a program gets that the runner starts, or has started.
std::vector<std::string> own_environment();
mode_t own_umask();

// What the loop's wishes make of an iteration.
How how_of(Wish wish);

// With pipes. Its output is shown as it comes.
base::Result<IterationEnd> run_headless(const Workplace& place, const Task& task, Ear& ear);

// In PTY 1. `run` counts those that were started. Nothing where no terminal can be had, with the reason.
struct PtyRun {
  std::optional<IterationEnd> end;
  std::string no_terminal = {};
};
base::Result<PtyRun> run_in_pty(const Workplace& place, AgentPty& agent, int64_t& run, const Task& task,
                                Ear& ear);

}  // namespace loop
