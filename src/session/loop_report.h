// SPDX-License-Identifier: Apache-2.0
// LoopReport: how a loop stands, as its runner said last. Not kept: a runner says it again to the next
// daemon.
#pragma once
#include <cstdint>
#include <string>

namespace session {

struct LoopReport {
  std::string mode;  // pty, observe, headless
  int64_t iteration = 0;
  std::string phase;  // starting, running, verifying, waiting, cooling, ended
};

}  // namespace session
