// SPDX-License-Identifier: Apache-2.0
// What a PTY says in its viewers' terminals (Table 8-1), and what must be undone there before it: the modes
// that a program left on when it ended.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "vt/screen.h"

namespace session {

std::string exit_notice(int code);
std::string restart_notice(std::chrono::milliseconds delay);
// A line of somebody's beside the program, as a loop's runner between two runs.
std::string note(std::string_view text, bool at_line_start);

// The bytes that bring the screen back to its main buffer and ordinary modes; nothing where nothing is on.
std::string undo_modes(const vt::Screen& screen);

}  // namespace session
