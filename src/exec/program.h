// SPDX-License-Identifier: Apache-2.0
// Which program stands in front of a terminal, as far as running a command in it goes: a shell, by the rules
// that it reads; or a REPL, by the prompts that it shows. A plain name is not enough for a REPL, because the
// same program also runs scripts: it is one only behind its own prompt.
#pragma once
#include <cstddef>
#include <string_view>

namespace exec {

enum class Shell {
  none,
  bash,   // $'…', history that ! expands
  zsh,    // the same, but it reads all of an eval before it does any of it
  ksh,    // that too
  posix,  // mksh, busybox: $'…'
  plain,  // dash: no $'…', and no line editor
  fish,
};

// By the name of its executable.
Shell shell_named(std::string_view name);
std::string_view name_of(Shell shell);
// Whether it may read its commands in the terminal's line mode, as another program would read an answer.
bool reads_plain_lines(Shell shell);

enum class Repl { none, python, node, sqlite, gdb, psql, lua };

Repl repl_named(std::string_view name);
std::string_view name_of(Repl repl);

enum class PromptKind {
  none,  // not its own
  main,  // it takes a command
  more,  // it takes the rest of one
};

struct ReplPrompt {
  PromptKind kind = PromptKind::none;
  size_t size = 0;  // bytes of it, at the end of the line: output may stand in front of it
};

// What the text in front of the cursor is to it.
ReplPrompt prompt_of(Repl repl, std::string_view line);

}  // namespace exec
