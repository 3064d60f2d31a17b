// SPDX-License-Identifier: Apache-2.0
#include "web/target.h"

#include <algorithm>

#include "base/strings.h"

namespace web {
namespace {

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
      auto segment = base::percent_decoded(each, base::Plus::plus);
      if (!segment) return {};
      target.segments.push_back(std::move(*segment));
    }
  }
  if (mark == std::string_view::npos) return target;
  for (const std::string_view each : base::split(text.substr(mark + 1), '&')) {
    if (each.empty()) continue;
    const size_t equals = each.find('=');
    auto name = base::percent_decoded(each.substr(0, equals), base::Plus::blank);
    auto value = base::percent_decoded(equals == std::string_view::npos ? "" : each.substr(equals + 1),
                                       base::Plus::blank);
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
