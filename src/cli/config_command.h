// SPDX-License-Identifier: Apache-2.0
// tend config: what is configured, where it comes from, what is wrong with it.
#pragma once
#include <optional>
#include <string>

#include "cli/global_options.h"

namespace cli {

struct ConfigShowOptions {
  bool json = false;
  bool secrets = false;
};

// The configuration on stdout. It can be loaded again, but for secrets that are masked.
int show_config(const ConfigShowOptions& options, const GlobalOptions& global);

struct ConfigValidateOptions {
  bool json = false;
  std::optional<std::string> file;  // nothing: all that this process would load
};

// "ok" on stdout, or every error on stderr as FILE:LINE:COLUMN: …, and kBadUsage.
int validate_config(const ConfigValidateOptions& options, const GlobalOptions& global);

}  // namespace cli
