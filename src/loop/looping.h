// SPDX-License-Identifier: Apache-2.0
// Looping: one loop from its first iteration to its end, once everything that it needs is there.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "loop/agent_pty.h"
#include "loop/iteration.h"
#include "loop/outcome.h"
#include "loop/prompt_source.h"

namespace loop {

class Looping {
 public:
  Looping(const Workplace& place, std::string folder);

  // The exit code of the loop.
  base::Result<int> run();

 private:
  base::Result<void> introduce();
  base::Result<Why> iterate();
  base::Result<IterationEnd> one(const PromptSource::Prompt& prompt);
  base::Result<IterationEnd> attempt(Mode mode, const PromptSource::Prompt& prompt, Ear& ear,
                                     std::string& no_terminal);
  base::Result<bool> keeps_promise(const Ear& ear, IterationEnd& end);
  base::Result<void> wait_for_limit(const UsageLimit& limit);
  base::Result<void> cool_down();
  std::optional<Why> wished() const;
  base::Result<int> finish(Why why);
  base::Result<int> break_off(base::Error error);
  void settle();

  void report(std::string_view phase, const std::string& text = {});
  void record(std::string_view kind, json::object fields);

  const Workplace& place_;
  Station& station_;
  const config::EventLoop& settings_;
  std::string folder_;
  AgentPty agent_;
  PromptSource prompts_;
  Outcome outcome_;
  LimitPause limit_pause_;
  Mode mode_;
  int iteration_ = 1;
  int64_t runs_ = 0;  // of PTY 1
  base::Moment begin_;
  base::Moment deadline_;
  std::optional<FailedCheck> check_;
  std::optional<UsageLimit> limit_;
  bool told_of_record_ = false;
};

}  // namespace loop
