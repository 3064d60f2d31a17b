// SPDX-License-Identifier: Apache-2.0
// Text as it goes into YAML, JSON and error messages. Anything may stand in it; what comes out is UTF-8 that
// no terminal takes for a command.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace config {

// How many bytes from the start are UTF-8: all of them, or the offset of the first that is not.
size_t utf8_prefix(std::string_view text);

// The same text with "?" for each byte that is not UTF-8.
std::string valid_utf8(std::string_view text);

// In double quotes, as JSON and YAML both read it.
std::string quote(std::string_view text);

// Plain where YAML, in all its versions, reads that back as the same text; else in double quotes.
std::string yaml_text(std::string_view text);

// Changes of a letter that make one word the other, a swap of neighbours being one.
size_t distance(std::string_view from, std::string_view to);

}  // namespace config
