// SPDX-License-Identifier: Apache-2.0
// Small string tools. None of them knows a locale.
#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

std::string_view trim(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);

// The whole text as a decimal number between the two, or nothing.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return {};
  return value;
}

// As a POSIX shell would need it typed: plain where that is safe, else in single quotes.
std::string shell_quote(std::string_view text);

// What a URL or a form has encoded: "%41" is "A". Nothing for bad encoding, and for zero bytes.
enum class Plus { plus, blank };  // what a '+' stands for
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

// Untrusted bytes made fit for one line of a terminal or log: control bytes and backslashes as \n, \x1b, …;
// cut to `most` bytes with "…" behind.
std::string printable(std::string_view text, size_t most = 256);

}  // namespace base
