// SPDX-License-Identifier: Apache-2.0
// tend mcp: the tools of tend for an agent that speaks the Model Context Protocol on its standard input and
// output.
#pragma once
#include "cli/global_options.h"

namespace cli {

int run_mcp(const GlobalOptions& global);

}  // namespace cli
