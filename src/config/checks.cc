// SPDX-License-Identifier: Apache-2.0
#include "config/checks.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/strings.h"

namespace config {
namespace {

// The decoded bytes, or nothing where an escape is not one.
std::optional<std::string> decode(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    if (++i == text.size()) return {};
    constexpr std::string_view kLetters = "rnte\\";
    constexpr std::string_view kMeanings = "\r\n\t\x1b\\";
    if (const size_t letter = kLetters.find(text[i]); letter != std::string_view::npos) {
      bytes += kMeanings[letter];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (text[i] != 'x' || digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return {};
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::optional<std::string> check_not_empty(std::string_view text) {
  if (text.empty()) return "must not be empty";
  return {};
}

std::optional<std::string> check_power_of_two(std::string_view number) {
  const auto value = base::parse_number<uint64_t>(number, 0, UINT64_MAX);
  if (!value || !std::has_single_bit(*value)) return "wants a power of two, as 1048576";
  return {};
}

std::optional<std::string> check_url(std::string_view text) {
  const size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  const bool bad = std::any_of(text.begin(), text.end(), [](char c) { return c == ' ' || is_control(c); });
  if (scheme == 0 || text.size() == scheme || text[scheme] == '/' || bad)
    return "wants a URL that begins with https:// or http://";
  return {};
}

std::optional<std::string> check_api_url(std::string_view text) {
  if (auto wrong = check_url(text)) return wrong;
  if (text.starts_with("https://")) return {};
  std::string_view host = text.substr(std::string_view("http://").size());
  host = host.substr(0, host.find('/'));
  const size_t bracket = host.find(']');
  host = bracket != std::string_view::npos ? host.substr(0, bracket + 1) : host.substr(0, host.find(':'));
  if (host == "localhost" || host == "127.0.0.1" || host == "[::1]") return {};
  return "wants https://, or http:// on this machine: tokens go there";
}

std::optional<std::string> check_key(std::string_view text) {
  if (text == "off" || key_byte(text)) return {};
  return "wants 'ctrl-' and a letter (but i, j and m, which are Tab and Enter) or one of ] ^ _ and "
         "backslash, or 'off'";
}

std::optional<char> key_byte(std::string_view text) {
  constexpr std::string_view kKeys = "abcdefghklnopqrstuvwxyz\\]^_";
  if (text.size() != 6 || !text.starts_with("ctrl-") || kKeys.find(text[5]) == std::string_view::npos)
    return {};
  return static_cast<char>(text[5] & 0x1f);
}

std::optional<std::string> check_sequence(std::string_view text) {
  if (text.empty()) return "must not be empty";
  if (!decode(text)) return "has a backslash with none of xHH, r, n, t, e or another backslash behind it";
  return {};
}

std::string sequence_bytes(std::string_view text) { return decode(text).value_or(std::string()); }

std::optional<std::string> check_mount(std::string_view text) {
  const auto parts = base::split(text, ':');
  const bool good = (parts.size() == 2 || (parts.size() == 3 && parts[2] == "ro")) &&
                    parts[0].starts_with('/') && parts[1].starts_with('/');
  if (!good) return "wants SOURCE:TARGET or SOURCE:TARGET:ro, both absolute paths";
  return {};
}

Mount mount_of(std::string_view text) {
  const auto parts = base::split(text, ':');
  return {std::string(parts[0]), std::string(parts[1]),
          parts.size() == 3 ? Access::read_only : Access::read_write};
}

bool is_variable_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

bool is_reference(std::string_view text) { return text.starts_with('$') && is_variable_name(text.substr(1)); }

}  // namespace config
