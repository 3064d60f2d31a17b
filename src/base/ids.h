// SPDX-License-Identifier: Apache-2.0
// Ids of sessions, prompts and the like: 80 random bits as 16 letters and digits that are safe in file names,
// URLs and shells, with no i, l, o, u to misread. Never reused, and not to be guessed.
#pragma once
#include <string>
#include <string_view>

namespace base {

std::string new_id();

bool is_id(std::string_view text);

}  // namespace base
