// SPDX-License-Identifier: Apache-2.0
// tend kill, tend restart: the end of programs, and their next beginning.
#pragma once
#include <string>
#include <vector>

namespace cli {

struct KillOptions {
  std::vector<std::string> targets;  // SESSION or SESSION:N
  bool all = false;
  bool force = false;  // SIGKILL at once
  bool json = false;
};

// All targets are told at the same time. kFailed if a process survived.
int kill(const KillOptions& options);

struct RestartOptions {
  std::string target;
  bool json = false;
};
int restart(const RestartOptions& options);

}  // namespace cli
