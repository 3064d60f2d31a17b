// SPDX-License-Identifier: Apache-2.0
// The configuration that this process gets by its options, its environment and its folder.
#pragma once
#include "base/result.h"
#include "cli/global_options.h"
#include "config/load.h"

namespace cli {

base::Result<config::Sources> find_sources(const GlobalOptions& options);

// Warnings go to stderr, a line each.
base::Result<config::Loaded> load_settings(const GlobalOptions& options);
void print_warnings(const config::Loaded& loaded);

}  // namespace cli
