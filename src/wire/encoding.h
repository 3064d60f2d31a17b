// SPDX-License-Identifier: Apache-2.0
// Output of programs as text that JSON can carry, and bytes as base64.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace wire {

struct Utf8Piece {
  std::string text;     // valid; U+FFFD stands for what is not
  size_t consumed = 0;  // bytes of the input: all, but for a character whose rest may still come
};

// The text, or as many whole characters of it as `most` bytes hold. What is too long for the audit is cut
// there.
std::string cut_text(std::string_view text, size_t most);
constexpr size_t kMostAgent = 200;
constexpr size_t kMostChannel = 40;

enum class Rest { may_come, never_comes };

Utf8Piece to_utf8(std::string_view bytes, Rest rest);

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

}  // namespace wire
