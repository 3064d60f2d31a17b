// SPDX-License-Identifier: Apache-2.0
#include "session/fault_points.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace session {

namespace {

bool is_wanted(std::string_view name) {
  static const char* const kWanted = std::getenv("TEND_FAULT");
  return kWanted != nullptr && name == kWanted;
}

}  // namespace

void reach(FaultPoint point) {
  if (is_wanted(kFaultPoints[static_cast<size_t>(point)])) ::kill(::getpid(), SIGKILL);
}

bool stalls(Stall part) { return is_wanted(kStalls[static_cast<size_t>(part)]); }

}  // namespace session
