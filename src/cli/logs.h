// SPDX-License-Identifier: Apache-2.0
// tend logs: what a program has written, from the journal of its PTY, and what it goes on to write.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace cli {

struct LogsOptions {
  std::string target;
  std::optional<uint64_t> lines;  // the last ones; nothing: all that the journal has
  bool follow = false;            // until the program ends
  bool raw = false;               // the bytes as they were written
};
int logs(const LogsOptions& options);

}  // namespace cli
