// SPDX-License-Identifier: Apache-2.0
#include "cli/surroundings.h"

#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {

using base::Code;
using base::fail;
using base::Result;
namespace json = boost::json;

json::array to_array(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& each : texts) array.emplace_back(each);
  return array;
}

mode_t current_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

json::array make_environment(const config::Environment& configured) {
  json::array env;
  bool has_term = configured.contains("TERM");
  for (char** entry = environ; *entry != nullptr; entry++) {
    const std::string_view text = *entry;
    if (configured.contains(std::string(text.substr(0, text.find('='))))) continue;
    env.emplace_back(text);
    has_term = has_term || text.starts_with("TERM=");
  }
  for (const auto& [name, value] : configured) env.emplace_back(fmt::format("{}={}", name, value));
  if (!has_term) env.emplace_back("TERM=xterm-256color");
  return env;
}

Result<std::string> find_folder(const std::string& asked) {
  std::error_code reason;
  const std::filesystem::path here = std::filesystem::current_path(reason);
  if (reason && asked.empty())
    return fail(Code::pty_spawn_failed, reason.value(), "cannot find the current folder (use --cwd)");
  return asked.empty() ? here.string() : (here / asked).lexically_normal().string();
}

}  // namespace cli
