// SPDX-License-Identifier: Apache-2.0
// tend attach: the user's terminal at a PTY that is there already.
#pragma once
#include <string>

#include "cli/global_options.h"

namespace cli {

struct AttachCommand {
  std::string target;  // empty: the only session
  bool observe = false;
  bool takeover = false;
  std::string scrollback;  // a number of rows, or all; empty: none
};

int attach(const AttachCommand& options, const GlobalOptions& global);

}  // namespace cli
