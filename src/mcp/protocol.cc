// SPDX-License-Identifier: Apache-2.0
#include "mcp/protocol.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace mcp {
namespace {

// The newest first.
constexpr std::array kVersions =
    std::to_array<std::string_view>({"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"});

}  // namespace

std::string_view negotiate(std::string_view asked) {
  const auto* found = std::find(kVersions.begin(), kVersions.end(), asked);
  return found != kVersions.end() ? *found : kVersions.front();
}

bool has_batches(std::string_view version) { return version == "2025-03-26" || version == "2024-11-05"; }

bool tells_of_arguments(std::string_view version) { return version >= "2025-11-25"; }

std::string make_error(const json::value& id, int number, std::string_view message, json::object data) {
  json::object error{{"code", number}, {"message", message}};
  if (!data.empty()) error["data"] = std::move(data);
  return json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}

std::optional<base::log::Level> level_named(std::string_view name) {
  using base::log::Level;
  if (name == "debug") return Level::debug;
  if (name == "info" || name == "notice") return Level::info;
  if (name == "warning") return Level::warning;
  for (const std::string_view graver : {"error", "critical", "alert", "emergency"})
    if (name == graver) return Level::error;
  return {};
}

std::optional<std::string> text_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(value->get_string());
}

const json::object* object_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr ? value->if_object() : nullptr;
}

}  // namespace mcp
