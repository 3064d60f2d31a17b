// SPDX-License-Identifier: Apache-2.0
// Mode: how an agent is run in an iteration: with pipes, or in a terminal of its own, whose keyboard a person
// has or has not.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "config/config.h"

namespace loop {

enum class Mode : uint8_t { headless, interactive, observe };

// What the command line says of it. --observe implies --pty.
struct ModeFlags {
  bool pty = false;
  bool observe = false;
  bool no_pty = false;
};

Mode select_mode(const config::Cli& settings, const ModeFlags& flags);

// headless, pty, observe.
std::string_view name_of(Mode mode);
std::optional<Mode> mode_named(std::string_view name);

}  // namespace loop
