// SPDX-License-Identifier: Apache-2.0
// Which size a PTY gets when several terminals look at it (session.resize).
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "config/config.h"
#include "pty/pty.h"

namespace session {

// A writer's terminal.
struct Window {
  pty::Size size;
  uint64_t attached = 0;  // order of attaching
  uint64_t active = 0;    // order of the last key or change of size
};

// Nothing: the size stays as it is.
std::optional<pty::Size> choose_size(config::Resize policy, std::span<const Window> writers);

}  // namespace session
