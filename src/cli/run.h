// SPDX-License-Identifier: Apache-2.0
// tend run: a new session with one program, in the foreground. The program lives in a keeper; this process
// holds it, and the session ends with it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/global_options.h"

namespace cli {

struct RunOptions {
  std::vector<std::string> command;
  std::string cwd;   // empty: this process's
  std::string size;  // COLSxROWS; empty: the window's
};

// The program's own exit status (128 + signal after a death by signal), or a code of report.h.
int run(const RunOptions& options, const GlobalOptions& global);

}  // namespace cli
