// SPDX-License-Identifier: Apache-2.0
#include "web/target.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace web {
namespace {

enum class Plus { plus, blank };

// A NUL is never part of a name.
std::optional<std::string> decode(std::string_view text, Plus plus) {
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

bool is_plain(char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; }

}  // namespace

std::optional<std::string> Target::value(std::string_view name) const {
  const auto found =
      std::find_if(query.rbegin(), query.rend(), [&](const auto& each) { return each.first == name; });
  return found != query.rend() ? std::optional(found->second) : std::nullopt;
}

std::optional<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/') || !std::all_of(text.begin(), text.end(), is_plain)) return {};
  Target target;
  const size_t mark = text.find('?');
  target.path = text.substr(0, mark);
  if (target.path.size() > 1) {
    for (const std::string_view each : base::split(std::string_view(target.path).substr(1), '/')) {
      auto segment = decode(each, Plus::plus);
      if (!segment) return {};
      target.segments.push_back(std::move(*segment));
    }
  }
  if (mark == std::string_view::npos) return target;
  for (const std::string_view each : base::split(text.substr(mark + 1), '&')) {
    if (each.empty()) continue;
    const size_t equals = each.find('=');
    auto name = decode(each.substr(0, equals), Plus::blank);
    auto value = decode(equals == std::string_view::npos ? "" : each.substr(equals + 1), Plus::blank);
    if (!name || !value) return {};
    target.query.emplace_back(std::move(*name), std::move(*value));
  }
  return target;
}

std::optional<std::string> cookie_value(std::string_view header, std::string_view name) {
  for (const std::string_view each : base::split(header, ';')) {
    const std::string_view pair = base::trim(each);
    const size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name)
      return std::string(pair.substr(equals + 1));
  }
  return {};
}

std::optional<std::string> bearer_token(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  if (header.size() < kScheme.size()) return {};
  const bool fits = std::equal(kScheme.begin(), kScheme.end(), header.begin(), [](char wanted, char c) {
    return wanted == (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  if (!fits) return {};
  return std::string(base::trim(header.substr(kScheme.size())));
}

}  // namespace web
