// SPDX-License-Identifier: Apache-2.0
// The text of the tool `help`, made of the table.
#pragma once
#include <string>
#include <string_view>

namespace mcp {

// Of one tool; of all when the topic is empty or no tool.
std::string help_text(std::string_view topic);

// What a client may tell its model when the talk begins.
std::string_view instructions();

}  // namespace mcp
