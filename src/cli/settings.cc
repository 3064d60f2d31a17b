// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

#include "base/folders.h"

namespace cli {

base::Result<config::Sources> find_sources(const GlobalOptions& options) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return base::fail(folders);
  config::Sources sources{.user_file = folders->config + "/config.yml",
                          .project_file = "tend.yml",
                          .named_file = options.config_file,
                          .environment = {},
                          .assignments = options.assignments,
                          .options = {},
                          .home = {}};
  for (char** entry = environ; *entry != nullptr; entry++) sources.environment.emplace_back(*entry);
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') sources.home = home;
  return sources;
}

base::Result<config::Loaded> load_settings(const GlobalOptions& options) {
  auto sources = find_sources(options);
  if (!sources) return base::fail(sources);
  auto loaded = config::load(*sources);
  if (loaded) print_warnings(*loaded);
  return loaded;
}

void print_warnings(const config::Loaded& loaded) {
  for (const config::Problem& warning : loaded.warnings)
    fmt::print(stderr, "tend: warning: {}\n", warning.message());
}

}  // namespace cli
