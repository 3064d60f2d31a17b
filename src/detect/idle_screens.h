// SPDX-License-Identifier: Apache-2.0
// Agents at their empty input box: they wait for work, and ask nothing.
#pragma once
#include <span>
#include <string_view>

#include "detect/view.h"

namespace detect {

struct IdleScreen {
  std::string_view agent;
  std::string_view versions;    // in which it was seen
  std::string_view input_line;  // expression for the line of the box
  std::string_view near;        // expression for a line below or above it
};

std::span<const IdleScreen> idle_screens();

// The agent's name; empty if this is none of them.
std::string_view find_idle_screen(const View& view);

}  // namespace detect
