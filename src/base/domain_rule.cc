// SPDX-License-Identifier: Apache-2.0
#include "base/domain_rule.h"

#include <algorithm>

#include "base/strings.h"

namespace base {
namespace {

constexpr size_t kMostName = 253;
constexpr size_t kMostLabel = 63;
constexpr uint16_t kHttp = 80;
constexpr uint16_t kHttps = 443;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kMostLabel && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

// 127.0.0.1, 2130706433, 0x7f.1: the system's resolver takes all of these for addresses.
bool ends_like_an_address(std::string_view last) { return last.front() >= '0' && last.front() <= '9'; }

}  // namespace

std::optional<std::string> domain_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMostName) return {};
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(), lower);
  const auto labels = split(name, '.');
  if (!std::all_of(labels.begin(), labels.end(), is_label) || ends_like_an_address(labels.back())) return {};
  return name;
}

std::optional<DomainRule> DomainRule::parse(std::string_view text) {
  DomainRule rule;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    rule.port = parse_number<uint16_t>(text.substr(colon + 1), 1, 65535);
    if (!rule.port) return {};
    text = text.substr(0, colon);
  }
  if (text.starts_with("*.")) {
    rule.below = true;
    text.remove_prefix(2);
  }
  auto name = domain_name(text);
  if (!name) return {};
  rule.name = std::move(*name);
  return rule;
}

bool DomainRule::allows(std::string_view host, uint16_t asked) const {
  const bool fits = below ? host.size() > name.size() + 1 && host.ends_with(name) &&
                                host[host.size() - name.size() - 1] == '.'
                          : host == name;
  return fits && (port ? asked == *port : asked == kHttp || asked == kHttps);
}

}  // namespace base
