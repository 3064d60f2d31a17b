// SPDX-License-Identifier: Apache-2.0
// tend loop --dry-run: what would be run.
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <fmt/format.h>

#include "base/folders.h"
#include "cli/human.h"
#include "cli/loop_plan.h"
#include "cli/output.h"
#include "cli/surroundings.h"
#include "loop/backend.h"
#include "loop/record.h"

namespace cli {
namespace {

using base::fail;
using base::Result;
namespace json = boost::json;

struct Description {
  LoopPrompt prompt;
  loop::Invocation invocation;
  std::string program;  // empty: not found
};

Result<Description> describe_parts(const LoopPlan& plan) {
  auto prompt = find_prompt(plan);
  if (!prompt) return fail(prompt);
  std::string told = prompt->text;
  if (told.size() > loop::kLongestPrompt) {
    auto folders = base::find_folders(std::getenv);
    if (!folders) return fail(folders);
    told = loop::request_to_read(loop::loops_folder(folders->state) + "/ID/prompt-0001.txt");
  }
  auto invocation = loop::invocation(plan.settings.config.cli, plan.mode, told, plan.extra);
  if (!invocation) return fail(invocation);
  return Description{std::move(*prompt), std::move(*invocation), find_agent(plan).value_or("")};
}

std::string_view match_text(config::PromiseMatch match) {
  return match == config::PromiseMatch::line ? "alone on its line" : "anywhere in the output";
}

std::string limits_text(const config::Config& config) {
  const config::EventLoop& loop = config.event_loop;
  const auto idle = config.cli.idle_timeout;
  return fmt::format("{} iterations, {}, {} failures in a row, {}", loop.max_iterations,
                     duration(loop.max_runtime), loop.max_consecutive_failures,
                     idle.count() > 0 ? "idle for " + duration(idle) : "never idle");
}

}  // namespace

Result<std::string> describe(const LoopPlan& plan) {
  auto parts = describe_parts(plan);
  if (!parts) return fail(parts);
  const config::Config& config = plan.settings.config;
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<9} {}\n", name, value);
  };
  line("mode", loop::name_of(plan.mode));
  line("backend", loop::name_of(config.cli.backend));
  line("program", parts->program.empty() ? "not found" : parts->program);
  line("command", loop::shell_words(parts->invocation.argv));
  if (!parts->invocation.input.empty()) line("stdin", "the prompt");
  line("prompt", fmt::format("{} ({})", parts->prompt.origin, amount_of_bytes(parts->prompt.text.size())));
  line("promise", fmt::format("{} ({})", config.event_loop.completion_promise,
                              match_text(config.event_loop.promise_match)));
  if (config.event_loop.verify) line("verify", *config.event_loop.verify);
  line("limits", limits_text(config));
  return harmless_lines(text);
}

Result<std::string> describe_json(const LoopPlan& plan) {
  auto parts = describe_parts(plan);
  if (!parts) return fail(parts);
  const config::Config& config = plan.settings.config;
  const config::EventLoop& loop = config.event_loop;
  json::object all{{"mode", loop::name_of(plan.mode)},
                   {"backend", loop::name_of(config.cli.backend)},
                   {"program", nullptr},
                   {"command", to_array(parts->invocation.argv)},
                   {"stdin", nullptr},
                   {"prompt_from", parts->prompt.origin},
                   {"prompt_bytes", parts->prompt.text.size()},
                   {"completion_promise", loop.completion_promise},
                   {"verify", nullptr},
                   {"max_iterations", loop.max_iterations},
                   {"max_runtime_seconds", loop.max_runtime.count()},
                   {"max_consecutive_failures", loop.max_consecutive_failures},
                   {"cooldown_delay_seconds", loop.cooldown_delay.count()},
                   {"idle_timeout_secs", config.cli.idle_timeout.count()}};
  if (!parts->program.empty()) all["program"] = parts->program;
  if (!parts->invocation.input.empty()) all["stdin"] = parts->invocation.input;
  if (loop.verify) all["verify"] = *loop.verify;
  return json::serialize(all) + "\n";
}

}  // namespace cli
