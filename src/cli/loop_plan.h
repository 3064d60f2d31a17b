// SPDX-License-Identifier: Apache-2.0
// What a `tend loop` is about to do, by its options and the settings, before anything is started.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/global_options.h"
#include "config/load.h"
#include "loop/mode.h"

namespace cli {

struct LoopOptions {
  loop::ModeFlags mode = {};
  std::optional<std::string> idle_timeout = {};
  std::optional<std::string> prompt = {};
  std::optional<std::string> prompt_file = {};
  std::optional<std::string> max_iterations = {};
  std::optional<std::string> completion_promise = {};
  std::optional<std::string> backend = {};
  std::optional<std::string> detach_key = {};
  std::string name = {};
  bool dry_run = false;
  bool detached = false;
  bool json = false;
  std::vector<std::string> extra = {};  // for the agent, behind --
};

struct LoopPlan {
  config::Loaded settings;
  loop::Mode mode = loop::Mode::headless;
  std::string cwd;
  std::vector<std::string> extra;
};

// Options that contradict each other are errors. Warnings of the settings are for the caller to print.
base::Result<LoopPlan> plan_loop(const LoopOptions& options, const GlobalOptions& global);

struct LoopPrompt {
  std::string text;
  std::string origin;  // for a person
};
// As the first iteration will have it; an error where there is none.
base::Result<LoopPrompt> find_prompt(const LoopPlan& plan);

// The file that will be run; an error that says what to do where there is none.
base::Result<std::string> find_agent(const LoopPlan& plan);

// For --dry-run.
base::Result<std::string> describe(const LoopPlan& plan);
base::Result<std::string> describe_json(const LoopPlan& plan);

}  // namespace cli
