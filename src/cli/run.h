// SPDX-License-Identifier: Apache-2.0
// tend run: a new session with one program; attached to it, unless it is to stay in the background.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/global_options.h"
#include "wire/message.h"

namespace cli {

struct RunOptions {
  std::vector<std::string> command;
  std::string name;
  std::string cwd;                  // empty: this process's
  std::string size;                 // COLSxROWS; empty: the window's
  std::vector<std::string> labels;  // NAME=VALUE
  bool detached = false;
  bool sandbox = false;
  bool restart = false;  // start the program again whenever it ends
  bool json = false;
};

// The program's own exit status (128 + signal after a death by signal), or a code of report.h.
int run(const RunOptions& options, const GlobalOptions& global);

// What a command prints that has left a session in the background.
void print_name(const wire::json::object& session, bool as_json);

struct ShellOptions {
  std::string session;  // empty: the only one
  std::vector<std::string> command;
  bool detached = false;
  bool json = false;
};

// tend shell: one more PTY in a session.
int shell(const ShellOptions& options, const GlobalOptions& global);

}  // namespace cli
