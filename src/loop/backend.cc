// SPDX-License-Identifier: Apache-2.0
#include "loop/backend.h"

#include <array>
#include <span>

#include "base/strings.h"

namespace loop {
namespace {

using config::Backend;
using Words = std::array<std::string_view, 3>;  // empty ones stand for none

// What stands before the prompt. A `switch` says how to run, and stays where the prompt comes by the standard
// input; an `option` has the prompt for its value and goes with it.
struct Flag {
  enum class Kind { none, switch_, option };
  Kind kind = Kind::none;
  std::string_view name = {};
};
constexpr Flag kNone{};

constexpr Flag is_switch(std::string_view name) { return {Flag::Kind::switch_, name}; }
constexpr Flag is_option(std::string_view name) { return {Flag::Kind::option, name}; }

struct Line {
  Words fixed;
  Flag flag;
};

struct Row {
  Backend backend;
  std::string_view name;
  std::string_view program;
  Line headless;
  Line pty;
};

constexpr Line kClaude{{"--dangerously-skip-permissions"}, is_switch("--print")};
constexpr Line kAmp{{"--dangerously-allow-all"}, is_switch("-x")};
constexpr Line kCopilot{{"--allow-all-tools"}, is_option("-p")};

constexpr std::array kTable{
    Row{Backend::claude, "claude", "claude", kClaude, {kClaude.fixed, kNone}},
    Row{Backend::codex, "codex", "codex", {{"exec", "--yolo"}, kNone}, {{"--yolo"}, kNone}},
    Row{Backend::gemini, "gemini", "gemini", {{"--yolo"}, is_option("-p")}, {{"--yolo"}, is_option("-i")}},
    Row{Backend::kiro,
        "kiro",
        "kiro-cli",
        {{"chat", "--no-interactive", "--trust-all-tools"}, kNone},
        {{"chat", "--trust-all-tools"}, kNone}},
    Row{Backend::amp, "amp", "amp", kAmp, kAmp},
    Row{Backend::copilot, "copilot", "copilot", kCopilot, kCopilot},
    Row{Backend::opencode, "opencode", "opencode", {{"run"}, kNone}, {{}, is_option("--prompt")}},
    Row{Backend::custom, "custom", "", {{}, kNone}, {{}, kNone}},
};

const Row& row_of(Backend backend) {
  for (const Row& row : kTable)
    if (row.backend == backend) return row;
  return kTable.back();
}

// The prompt's own flag of a custom agent is the settings' to say.
Line line_of(const config::Cli& settings, Mode mode) {
  const Row& row = row_of(settings.backend);
  Line line = mode == Mode::headless ? row.headless : row.pty;
  if (settings.backend == Backend::custom && settings.prompt_flag && !settings.prompt_flag->empty())
    line.flag = is_option(*settings.prompt_flag);
  return line;
}

}  // namespace

std::string_view name_of(Backend backend) { return row_of(backend).name; }

base::Result<std::string> program_of(const config::Cli& settings) {
  if (settings.command && !settings.command->empty()) return *settings.command;
  const Row& row = row_of(settings.backend);
  if (row.program.empty())
    return base::fail(base::Code::invalid_param, 0, "the backend 'custom' needs cli.command, its program");
  return std::string(row.program);
}

base::Result<Invocation> invocation(const config::Cli& settings, Mode mode, const std::string& prompt,
                                    const std::vector<std::string>& extra) {
  auto program = program_of(settings);
  if (!program) return base::fail(program);
  const Line line = line_of(settings, mode);
  const bool as_argument = settings.prompt_mode == config::PromptMode::arg;

  Invocation out;
  auto& argv = out.argv;
  argv.push_back(std::move(*program));
  for (const std::string_view word : line.fixed)
    if (!word.empty()) argv.emplace_back(word);
  argv.insert(argv.end(), settings.args.begin(), settings.args.end());
  argv.insert(argv.end(), extra.begin(), extra.end());
  if (line.flag.kind == Flag::Kind::switch_ || (as_argument && line.flag.kind == Flag::Kind::option))
    argv.emplace_back(line.flag.name);
  if (as_argument)
    argv.push_back(prompt);
  else
    out.input = prompt;
  return out;
}

std::string request_to_read(const std::string& path) {
  return "Please read the file " + path + " and do what it says: it is your whole task.";
}

std::string shell_words(const std::vector<std::string>& argv) {
  std::string out;
  for (const std::string& word : argv) {
    if (!out.empty()) out += ' ';
    out += base::shell_quote(word);
  }
  return out;
}

}  // namespace loop
