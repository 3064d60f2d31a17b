// SPDX-License-Identifier: Apache-2.0
// DomainRule: which names of the network may be reached: "example.org", "*.example.org" (all below it, not
// itself), either with ":PORT". Names only: an address is not a name, and no rule lets one through.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace base {

struct DomainRule {
  std::string name;  // in lower case, without a dot at the end
  bool below = false;
  std::optional<uint16_t> port;  // nothing: the usual ones of the web

  static std::optional<DomainRule> parse(std::string_view text);
  // Of a name as domain_name() gives it.
  bool allows(std::string_view host, uint16_t asked) const;
};

// The name in lower case and without a dot at its end; nothing for what is no name, or could be read as an
// address.
std::optional<std::string> domain_name(std::string_view text);

}  // namespace base
