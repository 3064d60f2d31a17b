// SPDX-License-Identifier: Apache-2.0
#include "daemon/environment.h"

#include <cstdlib>
#include <fmt/format.h>

namespace host {

std::vector<std::string> daemon_environment() {
  std::vector<std::string> env;
  for (const char* name : {"HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "PATH", "TEND_HOME",
                           "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"}) {
    if (const char* value = std::getenv(name)) env.push_back(fmt::format("{}={}", name, value));
  }
  return env;
}

}  // namespace host
