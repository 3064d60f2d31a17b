// SPDX-License-Identifier: Apache-2.0
// Value: what a setting is set to, checked but not yet put into Config. Origin: who set it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace config {

struct Value;

using Texts = std::vector<std::string>;
// Within a layer, a key without a text takes that key away from the layers below.
using TextMap = std::map<std::string, std::optional<std::string>>;
// A map inside a list: a value for each field of the setting's row, in that order.
using Record = std::vector<Value>;
using Records = std::vector<Record>;

struct Value {
  // std::monostate: not set. A choice is its word.
  std::variant<std::monostate, bool, int64_t, double, std::string, Texts, TextMap, Records> is;

  bool is_set() const { return !std::holds_alternative<std::monostate>(is); }
  bool operator==(const Value&) const = default;
};

struct Origin {
  enum class Kind { built_in, file, environment, flag };
  Kind kind = Kind::built_in;
  std::string name;  // of the file, the variable, the flag
  int line = 0;      // in a file

  // "default", "tend.yml:3", "TEND_WEB_PORT", "--set"; fit for a terminal.
  std::string text() const;
  bool operator==(const Origin&) const = default;
};

}  // namespace config
