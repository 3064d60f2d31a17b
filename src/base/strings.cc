// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <fmt/format.h>

namespace base {
namespace {

// U+0080 to U+009F: a terminal may take U+009B for the start of a control sequence.
bool is_c1(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0;
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string shell_quote(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '+' && plus == Plus::blank) {
      decoded += ' ';
    } else if (text[i] == '%') {
      unsigned char byte = 0;
      if (i + 2 >= text.size()) return {};
      const auto [end, wrong] = std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
      if (wrong != std::errc() || end != text.data() + i + 3 || byte == 0) return {};
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::string printable(std::string_view text, size_t most) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (out.size() >= most) {
      // No half of a UTF-8 character before the mark.
      while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
      if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
      return out + "…";
    }
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\\')
      out += "\\\\";
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else if (is_c1(text.substr(i)))
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[++i]));
    else
      out += c;
  }
  return out;
}

}  // namespace base
