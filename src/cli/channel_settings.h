// SPDX-License-Identifier: Apache-2.0
// Writing the settings of a channel into the user's configuration, beside what stands there, and tokens into
// files that nobody else may read.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cli {

// `lines` are what stands below channels.KIND, without indentation. Everything else stays as it is, comments
// included; the error says what to add by hand where that cannot be.
base::Result<std::string> with_channel(std::string_view yaml, const std::string& file,
                                       const std::string& kind, const std::vector<std::string>& lines);

// The same for the file: written anew only if what comes out is a configuration.
base::Result<void> write_channel(const std::string& file, const std::string& kind,
                                 const std::vector<std::string>& lines);

// Mode 0600; whole or not at all, also over an older one.
base::Result<void> write_private(const std::string& path, std::string_view text);

}  // namespace cli
