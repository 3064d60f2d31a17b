// SPDX-License-Identifier: Apache-2.0
// Output of programs as text that JSON can carry, and bytes as base64.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace host {

struct Utf8Piece {
  std::string text;      // valid; U+FFFD stands for what is not
  size_t consumed = 0;   // bytes of the input: all, but for a character whose rest may still come
};

enum class Rest { may_come, never_comes };

Utf8Piece to_utf8(std::string_view bytes, Rest rest);

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

}  // namespace host
