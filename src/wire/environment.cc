// SPDX-License-Identifier: Apache-2.0
#include "wire/environment.h"

#include <cstdlib>
#include <fmt/format.h>

namespace wire {

std::vector<std::string> daemon_environment() {
  std::vector<std::string> env;
  for (const char* name :
       {"HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "PATH", "TEND_HOME", "XDG_STATE_HOME",
        "XDG_CONFIG_HOME", "HTTPS_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY",
        "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    if (const char* value = std::getenv(name)) env.push_back(fmt::format("{}={}", name, value));
  }
  return env;
}

namespace {

std::vector<std::string> token_variables() {
  std::vector<std::string> env;
  for (const char* name :
       {"TEND_TELEGRAM_TOKEN", "TEND_SLACK_BOT_TOKEN", "TEND_SLACK_APP_TOKEN", "TEND_WEBHOOK_SECRET"}) {
    if (const char* value = std::getenv(name)) env.push_back(fmt::format("{}={}", name, value));
  }
  return env;
}

}  // namespace

std::vector<std::string> channel_environment() {
  std::vector<std::string> env = daemon_environment();
  for (std::string& each : token_variables()) env.push_back(std::move(each));
  return env;
}

}  // namespace wire
