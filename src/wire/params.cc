// SPDX-License-Identifier: Apache-2.0
#include "wire/params.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "base/strings.h"

namespace wire {
namespace {

namespace json = boost::json;
using base::Code;
using base::fail;
using base::Result;

const json::value* find(const json::object& params, std::string_view name) {
  const json::value* value = params.if_contains(name);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

std::string to_text(const json::value& value) {
  const json::string& text = value.get_string();
  return {text.data(), text.size()};
}

bool all_texts(const json::array& values) {
  return std::all_of(values.begin(), values.end(), [](const json::value& each) { return each.is_string(); });
}

bool all_texts(const json::object& values) {
  return std::all_of(values.begin(), values.end(), [](const auto& each) { return each.value().is_string(); });
}

bool is_of(const json::value& value, Kind kind) {
  switch (kind) {
    case Kind::text:
      return value.is_string();
    case Kind::integer:
      return value.is_int64();
    case Kind::number:
      return value.is_number();
    case Kind::flag:
      return value.is_bool();
    case Kind::texts:
      return value.is_array() && all_texts(value.get_array());
    case Kind::map:
      return value.is_object() && all_texts(value.get_object());
  }
  return false;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "text";
    case Kind::integer:
      return "integer";
    case Kind::number:
      return "number";
    case Kind::flag:
      return "flag";
    case Kind::texts:
      return "list of texts";
    case Kind::map:
      return "object of texts";
  }
  return "";
}

Result<void> check(const json::object& params, std::span<const Param> known) {
  for (const auto& given : params) {
    const std::string_view name(given.key().data(), given.key().size());
    if (std::none_of(known.begin(), known.end(), [&](const Param& each) { return each.name == name; }))
      return fail(Code::invalid_param, 0,
                  fmt::format("there is no parameter '{}'", base::printable(name, 64)));
  }
  for (const Param& each : known) {
    const json::value* value = find(params, each.name);
    if (value == nullptr) {
      if (each.need == Need::required)
        return fail(Code::invalid_param, 0, fmt::format("the parameter '{}' is missing", each.name));
      continue;
    }
    if (!is_of(*value, each.kind))
      return fail(Code::invalid_param, 0,
                  fmt::format("the parameter '{}' must be of kind: {}", each.name, kind_name(each.kind)));
    if (each.kind == Kind::integer && (value->get_int64() < each.least || value->get_int64() > each.most))
      return fail(Code::invalid_param, 0,
                  fmt::format("the parameter '{}' must be from {} to {}", each.name, each.least, each.most));
  }
  return {};
}

std::optional<std::string> text(const json::object& params, std::string_view name) {
  const json::value* value = find(params, name);
  if (value == nullptr || !value->is_string()) return {};
  return to_text(*value);
}

std::optional<int64_t> integer(const json::object& params, std::string_view name) {
  const json::value* value = find(params, name);
  if (value == nullptr) return {};
  // What was read from a message is signed where it fits; what a caller put there itself need not be.
  boost::system::error_code wrong;
  const auto number = value->to_number<int64_t>(wrong);
  return wrong ? std::nullopt : std::optional(number);
}

bool flag(const json::object& params, std::string_view name) {
  const json::value* value = find(params, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::vector<std::string> texts(const json::object& params, std::string_view name) {
  std::vector<std::string> result;
  if (const json::value* value = find(params, name); value != nullptr && is_of(*value, Kind::texts)) {
    for (const json::value& each : value->get_array()) result.push_back(to_text(each));
  }
  return result;
}

std::map<std::string, std::string> text_map(const json::object& params, std::string_view name) {
  std::map<std::string, std::string> result;
  if (const json::value* value = find(params, name); value != nullptr && is_of(*value, Kind::map)) {
    for (const auto& each : value->get_object())
      result.emplace(std::string(each.key().data(), each.key().size()), to_text(each.value()));
  }
  return result;
}

}  // namespace wire
