// SPDX-License-Identifier: Apache-2.0
// Shrinking: from a recording on which something fails to a small one on which it still fails.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recording.h"

namespace vt_test {

// Tells of many recordings at once on which of them it fails.
using Fails = std::function<std::vector<bool>(std::span<const Recording>)>;

Recording shrink(Recording recording, const Fails& fails);

// The escape sequences, control characters and characters of the bytes, each by itself.
std::vector<std::string> split_sequences(std::string_view bytes);

// Every event on a line of its own, as a person could read or type it again.
std::string describe(const Recording& recording);

}  // namespace vt_test
