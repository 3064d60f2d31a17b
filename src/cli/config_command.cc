// SPDX-License-Identifier: Apache-2.0
#include "cli/config_command.h"

#include <cstdio>
#include <fmt/format.h>

#include "cli/output.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "config/show.h"

namespace cli {
namespace {

config::Colour colour_of_stdout() {
  return stdout_has_colour() ? config::Colour::ansi : config::Colour::none;
}

base::Result<config::Findings> findings(const ConfigValidateOptions& options, const GlobalOptions& global) {
  if (options.file) return config::check_file(*options.file);
  const auto sources = find_sources(global);
  if (!sources) return std::unexpected(sources.error());
  return config::check(*sources);
}

}  // namespace

int show_config(const ConfigShowOptions& options, const GlobalOptions& global) {
  const auto loaded = load_settings(global);
  if (!loaded) return report(loaded.error());
  const auto secrets = options.secrets ? config::Secrets::shown : config::Secrets::masked;
  return print(options.json ? config::show_json(*loaded, secrets)
                            : config::show_yaml(*loaded, secrets, colour_of_stdout()));
}

int validate_config(const ConfigValidateOptions& options, const GlobalOptions& global) {
  const auto found = findings(options, global);
  if (!found) return report(found.error());
  const int code = found->errors.empty() ? kDone : kBadUsage;
  if (options.json) {
    const int printed = print(config::show_json(*found));
    return printed == kDone ? code : printed;
  }
  for (const config::Problem& error : found->errors) fmt::print(stderr, "{}\n", error.message());
  for (const config::Problem& warning : found->warnings)
    fmt::print(stderr, "warning: {}\n", warning.message());
  return code == kDone ? print("ok\n") : code;
}

}  // namespace cli
