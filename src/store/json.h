// SPDX-License-Identifier: Apache-2.0
// The little of JSON that the store writes.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace store {

// In quotes. Bytes that are not UTF-8 become U+FFFD; control characters, also C1, are escaped, so that a line
// is safe on a terminal.
std::string json_string(std::string_view text);

bool is_utf8(std::string_view text);
// UTF-8 without control characters other than tab, newline and return.
bool is_printable(std::string_view text);

std::string to_base64(std::string_view bytes);
std::string to_hex(std::span<const unsigned char> bytes);

}  // namespace store
