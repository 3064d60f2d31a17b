// SPDX-License-Identifier: Apache-2.0
// Where this room reads the environment: a function like std::getenv, which is the default everywhere. Tests
// pass their own and stay pure.
#pragma once
#include <functional>
#include <string_view>

namespace term {

using Lookup = std::function<const char*(const char* name)>;

// Unset and empty are the same to everything here: "" for both.
inline std::string_view value_of(const Lookup& lookup, const char* name) {
  const char* value = lookup(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace term
