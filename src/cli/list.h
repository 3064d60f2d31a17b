// SPDX-License-Identifier: Apache-2.0
// tend ls, tend status: which sessions there are, and how they and the daemon behind them are.
#pragma once
#include <string>

namespace cli {

struct ListOptions {
  bool explain = false;
  bool json = false;
};
int list_sessions(const ListOptions& options);

struct StatusOptions {
  std::string session;  // empty: the daemon and all of them
  bool explain = false;
  bool json = false;
};
int status(const StatusOptions& options);

// The names of those that live, a line each, from a daemon that runs already: for completion in a shell,
// which must neither start anything nor complain.
int print_session_names();

}  // namespace cli
