// SPDX-License-Identifier: Apache-2.0
#include "channel/escape.h"

#include <array>
#include <cstdint>
#include <memory>
#include <re2/re2.h>
#include <vector>

#include "config/text.h"

namespace channel {
namespace {

constexpr std::string_view kEllipsis = "…";

struct Char {
  uint32_t code = 0;
  size_t bytes = 1;
};

// Of valid UTF-8.
Char char_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[at + i])); };
  const uint32_t lead = byte(0);
  const size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1 || at + bytes > text.size()) return {lead, 1};
  uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; i++) code = code << 6 | (byte(i) & 0x3FU);
  return {code, bytes};
}

size_t units_of(const Char& each) { return each.code > 0xFFFF ? 2 : 1; }

// Control characters, and those that change the direction of the text, or show nothing.
bool is_unseen(uint32_t code) {
  if (code < 0x20 || code == 0x7F || (code >= 0x80 && code < 0xA0)) return true;
  return code == 0xAD || code == 0x61C || code == 0xFEFF || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFFFE ||
         code == 0xFFFF || (code >= 0xE0000 && code <= 0xE0FFF);
}

std::string replace_each(std::string_view text, std::string_view (*with)(char)) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const std::string_view entity = with(c);
    if (entity.empty())
      result += c;
    else
      result += entity;
  }
  return result;
}

struct Shape {
  const char* pattern;
  const char* with;
};

// What stands before a secret is kept, so that one sees what it was.
constexpr auto kShapes = std::to_array<Shape>({
    {"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)", "[hidden]"},
    {"([a-zA-Z][a-zA-Z0-9+.-]*://[^/\\s:@]*:)[^@/\\s]+@", "\\1[hidden]@"},
    {"(?i)\\b((?:bearer|basic)\\s+)[a-z0-9._~+/=-]{8,}", "\\1[hidden]"},
    {"(?i)([a-z0-9_-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)"
     "[a-z0-9_-]*[\"']?[ \\t]*[=:][ \\t]*[\"']?)[^\\s\"',;]{4,}",
     "\\1[hidden]"},
    {"\\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}", "[hidden]"},
    {"\\b(?:ghp|gho|ghu|ghs|ghr|glpat|npm|pypi|xox[abeoprs]|xapp|hf)[_-][A-Za-z0-9_-]{10,}", "[hidden]"},
    {"\\bgithub_pat_[A-Za-z0-9_]{20,}", "[hidden]"},
    {"\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b", "[hidden]"},
    {"\\bAIza[A-Za-z0-9_-]{30,}", "[hidden]"},
    {"\\b[0-9]{6,12}:[A-Za-z0-9_-]{30,}", "[hidden]"},
    {"\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*", "[hidden]"},
});

std::string_view html_entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

std::string_view slack_entity(char c) { return c == '"' ? std::string_view() : html_entity(c); }

}  // namespace

std::string plain(std::string_view text) {
  const std::string valid = config::valid_utf8(text);
  std::string result;
  result.reserve(valid.size());
  for (size_t at = 0; at < valid.size();) {
    const Char each = char_at(valid, at);
    if (each.code == '\t')
      result += ' ';
    else if (each.code == '\n' || !is_unseen(each.code))
      result.append(valid, at, each.bytes);
    at += each.bytes;
  }
  return result;
}

std::string strip_secrets(std::string_view text) {
  static const auto* kPatterns = [] {
    auto* all = new std::vector<std::pair<std::unique_ptr<RE2>, std::string>>();
    for (const Shape& each : kShapes) all->emplace_back(std::make_unique<RE2>(each.pattern), each.with);
    return all;
  }();
  std::string result(text);
  for (const auto& [pattern, with] : *kPatterns) RE2::GlobalReplace(&result, *pattern, with);
  return result;
}

std::string first_of(std::string_view text, size_t most) {
  size_t units = 0;
  size_t fits = 0;  // bytes that leave room for the ellipsis
  for (size_t at = 0; at < text.size();) {
    const Char each = char_at(text, at);
    units += units_of(each);
    if (units > most) return std::string(text.substr(0, fits)) + (most > 0 ? std::string(kEllipsis) : "");
    at += each.bytes;
    if (units < most) fits = at;
  }
  return std::string(text);
}

std::string last_of(std::string_view text, size_t most) {
  size_t units = 0;
  size_t fits = text.size();
  for (size_t at = text.size(); at > 0;) {
    size_t begin = at - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) begin--;
    units += units_of(char_at(text, begin));
    if (units > most) return (most > 0 ? std::string(kEllipsis) : "") + std::string(text.substr(fits));
    at = begin;
    if (units < most) fits = at;
  }
  return std::string(text);
}

std::string trim_lines(std::string_view text) {
  std::string result;
  size_t kept = 0;  // up to the last character that is seen
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
    result += line;
    if (!line.empty()) kept = result.size();
    result += '\n';
    at = end + 1;
  }
  result.resize(kept);
  return result;
}

std::string html(std::string_view text) { return replace_each(text, html_entity); }
std::string slack_text(std::string_view text) { return replace_each(text, slack_entity); }

}  // namespace channel
