// SPDX-License-Identifier: Apache-2.0
#include "store/json.h"

#include <algorithm>
#include <cstdint>
#include <fmt/core.h>

namespace store {
namespace {

struct Letter {
  char32_t code;
  size_t size;  // of its bytes; 0: not UTF-8
};

// No overlong forms, no surrogates, nothing past U+10FFFF.
Letter letter_at(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {0, 0};
  char32_t code = first & (0x7f >> size);
  for (size_t i = 1; i < size; i++) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const char32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {0, 0};
  return {code, size};
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

template <typename Accept>
bool all_letters(std::string_view text, const Accept& accept) {
  while (!text.empty()) {
    const Letter letter = letter_at(text);
    if (letter.size == 0 || !accept(letter.code)) return false;
    text.remove_prefix(letter.size);
  }
  return true;
}

void put_escaped(std::string& out, char32_t code) {
  if (code == '"' || code == '\\')
    out.append({'\\', static_cast<char>(code)});
  else if (code == '\n')
    out += "\\n";
  else if (code == '\r')
    out += "\\r";
  else if (code == '\t')
    out += "\\t";
  else
    out += fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    const Letter letter = letter_at(text);
    if (letter.size == 0)
      out += "\xef\xbf\xbd";
    else if (is_control(letter.code) || letter.code == '"' || letter.code == '\\')
      put_escaped(out, letter.code);
    else
      out += text.substr(0, letter.size);
    text.remove_prefix(std::max<size_t>(letter.size, 1));
  }
  return out += '"';
}

bool is_utf8(std::string_view text) {
  return all_letters(text, [](char32_t) { return true; });
}

bool is_printable(std::string_view text) {
  return all_letters(
      text, [](char32_t code) { return !is_control(code) || code == '\t' || code == '\n' || code == '\r'; });
}

std::string to_base64(std::string_view bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t n = 0; n < 3; n++) bits = bits << 8 | (n < group.size() ? static_cast<uint8_t>(group[n]) : 0);
    for (size_t n = 0; n < 4; n++) out += n <= group.size() ? kLetters[bits >> (18 - 6 * n) & 63] : '=';
  }
  return out;
}

std::string to_hex(std::span<const unsigned char> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace store
