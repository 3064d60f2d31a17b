// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_plan.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"
#include "cli/settings.h"
#include "cli/surroundings.h"
#include "loop/backend.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;

constexpr size_t kMostPrompt = 4 << 20;

Result<void> check_together(const LoopOptions& options) {
  const auto clash = [](std::string_view a, std::string_view b) {
    return fail(Code::invalid_param, 0, fmt::format("{} and {} exclude each other", a, b));
  };
  if (options.mode.no_pty && options.mode.pty) return clash("--pty", "--no-pty");
  if (options.mode.no_pty && options.mode.observe) return clash("--observe", "--no-pty");
  if (options.prompt && options.prompt_file) return clash("--prompt", "--prompt-file");
  if (options.dry_run && options.detached) return clash("--dry-run", "--detach");
  if (options.prompt && base::trim(*options.prompt).empty())
    return fail(Code::invalid_param, 0, "the prompt behind --prompt is empty");
  if (options.json && !options.dry_run && !options.detached)
    return fail(Code::invalid_param, 0, "--json goes with --dry-run or --detach");
  return {};
}

// The options of the command that are settings.
std::vector<config::Option> as_settings(const LoopOptions& options) {
  std::vector<config::Option> all;
  const auto add = [&](const char* name, const char* path, const std::optional<std::string>& value) {
    if (value) all.push_back({name, fmt::format("{}={}", path, *value)});
  };
  add("--idle-timeout", "cli.idle_timeout_secs", options.idle_timeout);
  add("--backend", "cli.backend", options.backend);
  add("--prompt", "event_loop.prompt", options.prompt);
  // A prompt in the settings would go before the file.
  if (options.prompt_file) add("--prompt-file", "event_loop.prompt", "");
  add("--prompt-file", "event_loop.prompt_file", options.prompt_file);
  add("--max-iterations", "event_loop.max_iterations", options.max_iterations);
  add("--completion-promise", "event_loop.completion_promise", options.completion_promise);
  add("--detach-key", "session.detach_key", options.detach_key);
  return all;
}

bool is_program(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// As the agent's environment will have it.
std::string search_path(const config::Config& config) {
  const auto set = config.session.env.find("PATH");
  if (set != config.session.env.end()) return set->second;
  const char* own = std::getenv("PATH");
  return own != nullptr && *own != '\0' ? own : "/usr/local/bin:/usr/bin:/bin";
}

Result<std::string> read_prompt(const std::string& file, const std::string& named) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    return fail(Code::invalid_param, 0,
                fmt::format("there is no prompt: {} cannot be read; write it there, or use --prompt TEXT or "
                            "--prompt-file FILE",
                            named));
  std::string text(kMostPrompt + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMostPrompt)
    return fail(Code::invalid_param, 0, fmt::format("{} is no prompt: it has more than 4 MiB", named));
  if (base::trim(text).empty())
    return fail(Code::invalid_param, 0, fmt::format("{} is empty: there is no prompt", named));
  return text;
}

}  // namespace

Result<LoopPlan> plan_loop(const LoopOptions& options, const GlobalOptions& global) {
  if (auto good = check_together(options); !good) return fail(good);
  auto sources = find_sources(global);
  if (!sources) return fail(sources);
  sources->options = as_settings(options);
  auto settings = config::load(*sources);
  if (!settings) return fail(settings);
  auto folder = find_folder("");
  if (!folder) return fail(folder);
  const loop::Mode mode = loop::select_mode(settings->config.cli, options.mode);
  return LoopPlan{std::move(*settings), mode, std::move(*folder), options.extra};
}

Result<LoopPrompt> find_prompt(const LoopPlan& plan) {
  const config::EventLoop& settings = plan.settings.config.event_loop;
  if (settings.prompt)
    return LoopPrompt{*settings.prompt, plan.settings.at("event_loop.prompt").origin.text()};
  const auto file = std::filesystem::path(plan.cwd) / settings.prompt_file;
  auto text = read_prompt(file.string(), settings.prompt_file);
  if (!text) return fail(text);
  return LoopPrompt{std::move(*text), settings.prompt_file};
}

Result<std::string> find_agent(const LoopPlan& plan) {
  const config::Cli& settings = plan.settings.config.cli;
  auto program = loop::program_of(settings);
  if (!program) return fail(program);
  const std::filesystem::path here(plan.cwd);
  if (program->find('/') != std::string::npos) {
    std::string file = (here / *program).lexically_normal().string();
    if (is_program(file)) return file;
  } else {
    const std::string path = search_path(plan.settings.config);
    for (const std::string_view each : base::split(path, ':')) {
      std::string file = (here / each / *program).lexically_normal().string();
      if (is_program(file)) return file;
    }
  }
  return fail(Code::pty_spawn_failed, ENOENT,
              fmt::format("cannot find the program {}, which the backend {} runs; install it, choose another "
                          "one with --backend, or set cli.command",
                          *program, loop::name_of(settings.backend)));
}

}  // namespace cli
