// SPDX-License-Identifier: Apache-2.0
#include "mcp/help.h"

#include <fmt/format.h>

#include "mcp/tool.h"

namespace mcp {
namespace {

std::string signature(const Tool& tool) {
  std::string text;
  for (const Argument& each : tool.takes) {
    if (!text.empty()) text += ", ";
    text += each.param.name;
    if (each.param.need == wire::Need::optional) text += '?';
  }
  return fmt::format("{}({})", tool.name, text);
}

std::string help_of(const Tool& tool) {
  std::string text = fmt::format("{}: {}\n", tool.name, tool.help);
  for (const Argument& each : tool.takes) {
    const std::string_view need = each.param.need == wire::Need::required ? ", required" : "";
    text += fmt::format("  {} ({}{}): {}{}{}\n", each.param.name, wire::kind_name(each.param.kind), need,
                        each.help, each.choices.empty() ? "" : "; one of ", each.choices);
  }
  return text;
}

}  // namespace

std::string help_text(std::string_view topic) {
  if (const Tool* tool = find_tool(topic)) return help_of(*tool);
  std::string text(instructions());
  text += "\n\n";
  for (const Tool& each : tools()) text += fmt::format("{}: {}\n", signature(each), each.title);
  text += "\nhelp(topic) tells more about one of them.\n";
  return text;
}

std::string_view instructions() {
  return "tend keeps programs running in terminals (PTYs) that you can type into, read and watch. A session "
         "has PTY 0, its main program, and any number of shells beside it. Open one with pty_spawn; run "
         "commands in a shell with pty_run, which gives exactly their output and exit status; drive "
         "interactive programs with pty_screen, pty_write, pty_send_keys and pty_wait; see who waits for an "
         "answer with prompt_list, and give it with prompt_answer. Long texts are cut to max_chars, and say "
         "`truncated`. Everything that is sent into a terminal is written to an audit trail.";
}

}  // namespace mcp
