// SPDX-License-Identifier: Apache-2.0
// What a method takes, as a table: names, kinds, limits. check() holds a request against it, so that a method
// sees only parameters that are what they should be, and a caller hears which one is wrong.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wire {

enum class Kind { text, integer, number, flag, texts, map };

std::string_view kind_name(Kind kind);

enum class Need { optional, required };

struct Param {
  std::string_view name;
  Kind kind;
  Need need = Need::optional;
  int64_t least = 0;  // of an integer
  int64_t most = std::numeric_limits<int64_t>::max();
};

// `null` counts as not given.
base::Result<void> check(const boost::json::object& params, std::span<const Param> known);

// For parameters, checked or not: what is of another kind counts as not given.
std::optional<std::string> text(const boost::json::object& params, std::string_view name);
std::optional<int64_t> integer(const boost::json::object& params, std::string_view name);
bool flag(const boost::json::object& params, std::string_view name);
std::vector<std::string> texts(const boost::json::object& params, std::string_view name);
std::map<std::string, std::string> text_map(const boost::json::object& params, std::string_view name);

}  // namespace wire
