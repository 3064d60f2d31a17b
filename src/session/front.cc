// SPDX-License-Identifier: Apache-2.0
#include "session/front.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unistd.h>

#include "vt/text_view.h"

namespace session {
namespace {

// By its newest mark, a shell is at its prompt; or, when it does not wait, on the way back to it.
bool marks_its_prompt(const vt::Screen& screen, bool waits) {
  const auto marks = screen.marks(1);
  if (marks.empty()) return false;
  const vt::MarkKind kind = marks.back().mark.kind;
  return kind == vt::MarkKind::prompt || kind == vt::MarkKind::command ||
         (kind == vt::MarkKind::done && !waits);
}

// In line mode a shell reads like any other program; only one that has no editor reads its commands so.
bool at_prompt(const Front& front, const pty::Look& look) {
  if (front.repl != exec::Repl::none)
    return exec::prompt_of(front.repl, front.line).kind != exec::PromptKind::none;
  return !look.canonical || exec::reads_plain_lines(front.shell);
}

}  // namespace

std::string executable_of(pid_t pid) {
  std::array<char, 4096> path;
  const ssize_t size = ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), path.data(), path.size());
  if (size <= 0) return {};
  std::string name(path.data(), static_cast<size_t>(size));
  // One that was replaced on the disk since, as an upgrade does.
  constexpr std::string_view kDeleted = " (deleted)";
  if (name.ends_with(kDeleted)) name.resize(name.size() - kDeleted.size());
  return name.substr(name.rfind('/') + 1);
}

std::string line_at_cursor(const vt::Screen& screen) {
  const auto rows = vt::around_cursor(screen, {});
  std::string line = rows.empty() ? "" : rows.front();
  const auto column = static_cast<size_t>(screen.cursor_column());
  // What stands behind the cursor is no prompt. Where columns are not bytes, the whole row has to do.
  const bool ascii =
      std::all_of(line.begin(), line.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (ascii) line.resize(column, ' ');
  return line;
}

Front front_of(const pty::Look& look, const vt::Screen& screen) {
  Front front;
  front.pid = look.reader != 0 ? look.reader : look.group;
  front.turns = look.turns;
  front.certain = look.verdict == pty::Look::Verdict::waits;
  front.name = executable_of(front.pid);
  if (front.name.empty()) front.name = look.command;
  front.line = line_at_cursor(screen);
  front.hides_input = look.canonical && !look.echo;
  front.shell = exec::shell_named(front.name);
  if (front.shell == exec::Shell::none) front.repl = exec::repl_named(front.name);
  // A shell that reads keys is at its prompt, whatever its helpers do meanwhile.
  const bool edits = look.verdict == pty::Look::Verdict::both && look.shell && !look.canonical;
  const bool waits =
      look.verdict == pty::Look::Verdict::waits || look.verdict == pty::Look::Verdict::may_wait || edits;
  if (!front.takes_commands())
    front.shell_marks = !(waits && look.canonical) && marks_its_prompt(screen, waits);
  if (look.verdict == pty::Look::Verdict::unknown)
    front.stand = Front::Stand::not_visible;
  else if (waits && look.unread == 0)
    front.stand =
        at_prompt(front, look) && front.takes_commands() ? Front::Stand::at_prompt : Front::Stand::asks;
  return front;
}

}  // namespace session
