// SPDX-License-Identifier: Apache-2.0
// tend exec: a command in the shell of a session; its output, and its exit status.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct ExecOptions {
  std::string target;
  std::vector<std::string> command;  // one word: as it would be typed; several: each as it is
  std::optional<int64_t> timeout_ms;
  std::optional<std::string> sentinel;
  std::optional<int64_t> max_bytes;
  bool interrupt = false;
  bool raw = false;
  bool json = false;
};
int exec_command(const ExecOptions& options);

}  // namespace cli
