// SPDX-License-Identifier: Apache-2.0
#include "session/notices.h"

#include <fmt/format.h>

#include "session/viewer.h"

namespace session {

std::string exit_notice(int code) {
  return fmt::format("\r\n\x1b[2m[process exited (code {})]\x1b[0m\r\n", code);
}

std::string restart_notice(std::chrono::milliseconds delay) {
  return fmt::format("\x1b[2m[restarting in {}ms...]\x1b[0m\r\n", delay.count());
}

std::string note(std::string_view text, bool at_line_start) {
  return fmt::format("{}\x1b[2m[{}]\x1b[0m\r\n", at_line_start ? "" : "\r\n", text);
}

std::string undo_modes(const vt::Screen& screen) {
  std::string undo;
  // CAN ends a sequence that the program did not live to complete.
  if (!screen.pending().empty()) undo += '\x18';
  const auto keyboards = [&](vt::Which which) {
    const auto& stack = screen.buffer(which).keyboard;
    if (stack.pristine()) return;
    undo += fmt::format("\x1b[<{}u\x1b[=0;1u", stack.entries().size());
  };
  if (screen.showing() == vt::Which::alternate) {
    keyboards(vt::Which::alternate);
    undo += "\x1b[?1049l";
  }
  keyboards(vt::Which::main);
  for (const vt::ModeInfo& each : vt::all_modes()) {
    if (screen.modes()[each.mode] == each.initial) continue;
    undo += fmt::format("\x1b[{}{}{}", each.space == vt::ModeSpace::dec ? "?" : "", each.number,
                        each.initial ? 'h' : 'l');
  }
  if (const int mouse = vt::mouse_number(screen.mouse_protocol()); mouse != 0)
    undo += fmt::format("\x1b[?{}l", mouse);
  if (const int encoding = vt::mouse_number(screen.mouse_encoding()); encoding != 0)
    undo += fmt::format("\x1b[?{}l", encoding);
  if (screen.modify_other_keys() != 0) undo += "\x1b[>4;0m";
  if (screen.cursor_shape() != 0) undo += "\x1b[0 q";
  if (screen.buffer(vt::Which::main).region != vt::Buffer(screen.size()).region)
    undo +=
        "\x1b"
        "7\x1b[r\x1b"
        "8";
  // Leaving the alternate screen brings back what was saved there, which may be any of these.
  const bool left = screen.showing() == vt::Which::alternate;
  const vt::Charsets plain;
  if (left) undo += "\x1b[?6l";
  if (left || screen.charsets().sets != plain.sets || screen.charsets().locked != 0)
    undo += "\x1b(B\x1b)B\x1b*B\x1b+B\x0f";
  if (left || screen.pen().link != 0) undo += "\x1b]8;;\x1b\\";
  if (left || screen.pen().has(vt::kProtected)) undo += "\x1b[0\"q";
  if (left || screen.pen() != vt::Style{}) undo += "\x1b[m";
  return undo;
}

std::string_view state_name(PtyState state) {
  switch (state) {
    case PtyState::running:
      return "running";
    case PtyState::exited:
      return "exited";
    case PtyState::restarting:
      return "restarting";
    case PtyState::dead:
      return "dead";
  }
  return "";
}

std::string_view notice_name(Notice::Kind kind) {
  switch (kind) {
    case Notice::Kind::exited:
      return "exited";
    case Notice::Kind::restarting:
      return "restarting";
    case Notice::Kind::restarted:
      return "restarted";
    case Notice::Kind::note:
      return "note";
  }
  return "";
}

}  // namespace session
