// SPDX-License-Identifier: Apache-2.0
#include "cli/surroundings.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "config/checks.h"

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

namespace {

constexpr std::array<std::string_view, 19> kLetIn = {
    "PATH",         "HOME",        "USER",     "LOGNAME", "SHELL",  "TERM",  "COLORTERM",
    "TERM_PROGRAM", "LANG",        "LANGUAGE", "TZ",      "EDITOR", "PAGER", "VISUAL",
    "NO_COLOR",     "FORCE_COLOR", "CLICOLOR", "LESS",    "PS1"};

bool is_let_in(std::string_view name) {
  return name.starts_with("LC_") || std::find(kLetIn.begin(), kLetIn.end(), name) != kLetIn.end();
}

}  // namespace

json::array make_sandbox_environment(const config::Config& config) {
  config::Environment all = {{"TERM", "xterm-256color"}};
  for (char** entry = environ; *entry != nullptr; entry++) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (is_let_in(name) && name.size() < text.size()) all[name] = text.substr(name.size() + 1);
  }
  for (const auto& [name, value] : config.session.env) all[name] = value;
  for (const auto& [name, value] : config.sandbox.env) {
    if (!config::is_reference(value)) {
      all[name] = value;
      continue;
    }
    const char* own = std::getenv(value.c_str() + 1);
    if (own == nullptr)
      fmt::print(stderr, "tend: warning: sandbox.env: {} is not set here, and so {} is not set inside\n",
                 value.substr(1), name);
    else
      all[name] = own;
  }
  json::array env;
  for (const auto& [name, value] : all) env.emplace_back(fmt::format("{}={}", name, value));
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
