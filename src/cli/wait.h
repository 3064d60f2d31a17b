// SPDX-License-Identifier: Apache-2.0
// tend wait: until a program waits for a person, is ready for work, quiet, has ended, or shows something.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace cli {

struct WaitOptions {
  std::string target;
  std::string until;  // waiting, ready, quiet, quiet=MS, exited, text=RE
  std::optional<uint64_t> timeout_ms;
  bool explain = false;
  bool json = false;
};

// kDone when it came, kTimedOut, or kNotFound when it cannot come any more.
int wait(const WaitOptions& options);

}  // namespace cli
