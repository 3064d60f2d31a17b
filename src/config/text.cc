// SPDX-License-Identifier: Apache-2.0
#include "config/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace config {
namespace {

struct Character {
  size_t bytes = 0;  // 0: not UTF-8
  char32_t code = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; i++) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {bytes, code};
}

// Control characters, and those that break lines, turn their direction or cannot be seen.
bool needs_escape(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0xA0) || code == 0xAD ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF || (code >= 0xFFF0 && code <= 0xFFFF);
}

bool is_word_of_yaml(std::string_view text) {
  constexpr std::array<std::string_view, 11> kWords = {"true", "false", "null", "yes", "no", "on",
                                                       "off",  "y",     "n",    "nan", "inf"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

}  // namespace

size_t utf8_prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t bytes = first_character(text.substr(at)).bytes;
    if (bytes == 0) break;
    at += bytes;
  }
  return at;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t good = utf8_prefix(text);
    out += text.substr(0, good);
    if (good == text.size()) return out;
    out += '?';
    text.remove_prefix(good + 1);
  }
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character next = first_character(text);
    const size_t bytes = std::max<size_t>(next.bytes, 1);
    if (next.bytes == 0)
      out += '?';
    else if (next.code == '"' || next.code == '\\')
      out += fmt::format("\\{}", text[0]);
    else if (next.code == '\n')
      out += "\\n";
    else if (next.code == '\t')
      out += "\\t";
    else if (next.code == '\r')
      out += "\\r";
    else if (needs_escape(next.code))
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(next.code));
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out + '"';
}

std::string yaml_text(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-$";
  // A digit, dot or sign in front may start a number; a dash, an item of a list.
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos &&
                     (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '/' ||
                      text[0] == '_' || text[0] == '$') &&
                     !is_word_of_yaml(text);
  return plain ? std::string(text) : quote(text);
}

size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<size_t>> cost(from.size() + 1, std::vector<size_t>(to.size() + 1));
  for (size_t i = 0; i <= from.size(); i++) {
    for (size_t k = 0; k <= to.size(); k++) {
      if (i == 0 || k == 0) {
        cost[i][k] = i + k;
        continue;
      }
      const size_t change = cost[i - 1][k - 1] + (from[i - 1] == to[k - 1] ? 0 : 1);
      cost[i][k] = std::min({change, cost[i - 1][k] + 1, cost[i][k - 1] + 1});
      const bool swapped = i > 1 && k > 1 && from[i - 1] == to[k - 2] && from[i - 2] == to[k - 1];
      if (swapped) cost[i][k] = std::min(cost[i][k], cost[i - 2][k - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

}  // namespace config
