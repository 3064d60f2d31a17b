// SPDX-License-Identifier: Apache-2.0
#include "exec/program.h"

#include <algorithm>
#include <array>

namespace exec {
namespace {

struct ShellRow {
  std::string_view name;
  Shell shell;
};

constexpr auto kShells = std::to_array<ShellRow>({
    {"bash", Shell::bash},
    {"rbash", Shell::bash},
    {"zsh", Shell::zsh},
    {"dash", Shell::plain},
    {"busybox", Shell::posix},
    {"ash", Shell::posix},
    {"ksh", Shell::ksh},
    {"ksh93", Shell::ksh},
    {"mksh", Shell::posix},
    {"fish", Shell::fish},
});

struct ReplRow {
  Repl repl;
  std::string_view name;  // the executable's, which may have a version behind it
  std::string_view main;
  std::string_view more;
  bool named;  // a name stands in front of it: of a database, of a program
};

constexpr auto kRepls = std::to_array<ReplRow>({
    {Repl::python, "python", ">>> ", "... ", false},
    {Repl::node, "node", "> ", "... ", false},
    {Repl::sqlite, "sqlite", "sqlite> ", "   ...> ", false},
    {Repl::gdb, "gdb", "(gdb) ", ">", false},
    {Repl::psql, "psql", "=# ", "-# ", true},
    {Repl::psql, "psql", "=> ", "-> ", true},
    {Repl::lua, "lua", "> ", ">> ", false},
});

bool is_version(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

// Bytes of the prompt at the end of the line; 0: it is not there. A short one is known only if it stands
// alone.
size_t find_prompt(const ReplRow& row, std::string_view line, std::string_view prompt) {
  constexpr size_t kDistinct = 4;
  if (prompt.empty() || !line.ends_with(prompt)) return 0;
  const std::string_view before = line.substr(0, line.size() - prompt.size());
  if (row.named) {
    const bool one_word = !before.empty() && before.find(' ') == std::string_view::npos;
    return one_word ? line.size() : 0;
  }
  return before.empty() || prompt.size() >= kDistinct ? prompt.size() : 0;
}

}  // namespace

Shell shell_named(std::string_view name) {
  const auto found =
      std::find_if(kShells.begin(), kShells.end(), [&](const ShellRow& each) { return each.name == name; });
  return found != kShells.end() ? found->shell : Shell::none;
}

std::string_view name_of(Shell shell) {
  constexpr std::array<std::string_view, 7> kNames{"", "bash", "zsh", "ksh", "sh", "dash", "fish"};
  return kNames[static_cast<size_t>(shell)];
}

bool reads_plain_lines(Shell shell) {
  return shell == Shell::plain || shell == Shell::posix || shell == Shell::ksh;
}

Repl repl_named(std::string_view name) {
  const auto found = std::find_if(kRepls.begin(), kRepls.end(), [&](const ReplRow& each) {
    return name.starts_with(each.name) && is_version(name.substr(each.name.size()));
  });
  return found != kRepls.end() ? found->repl : Repl::none;
}

std::string_view name_of(Repl repl) {
  const auto found =
      std::find_if(kRepls.begin(), kRepls.end(), [&](const ReplRow& each) { return each.repl == repl; });
  return found != kRepls.end() ? found->name : "";
}

ReplPrompt prompt_of(Repl repl, std::string_view line) {
  for (const ReplRow& each : kRepls) {
    if (each.repl != repl) continue;
    if (const size_t size = find_prompt(each, line, each.main)) return {PromptKind::main, size};
    if (const size_t size = find_prompt(each, line, each.more)) return {PromptKind::more, size};
  }
  return {};
}

}  // namespace exec
