// SPDX-License-Identifier: Apache-2.0
#include "mcp/arguments.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "base/strings.h"

namespace mcp {
namespace {

namespace json = boost::json;
using base::Code;
using base::fail;

// Up to here every double is the integer that it looks like.
constexpr double kMostExact = 9007199254740992.0;

// 80.0 is an integer in JSON Schema.
void make_integer(json::value& value) {
  if (!value.is_double()) return;
  const double number = value.get_double();
  if (std::trunc(number) == number && std::abs(number) <= kMostExact) value = static_cast<int64_t>(number);
}

bool is_choice(std::string_view text, std::string_view choices) {
  const auto all = base::split(choices, '|');
  return std::find(all.begin(), all.end(), text) != all.end();
}

}  // namespace

base::Result<json::object> check_arguments(const Tool& tool, json::object arguments) {
  std::vector<wire::Param> params;
  params.reserve(tool.takes.size());
  for (const Argument& each : tool.takes) {
    params.push_back(each.param);
    json::value* given = arguments.if_contains(each.param.name);
    if (given != nullptr && each.param.kind == wire::Kind::integer) make_integer(*given);
  }
  if (auto checked = wire::check(arguments, params); !checked) {
    checked.error().what = fmt::format("{}: {}", tool.name, checked.error().what);
    return fail(checked);
  }
  for (const Argument& each : tool.takes) {
    const auto text = each.choices.empty() ? std::nullopt : wire::text(arguments, each.param.name);
    if (text && !is_choice(*text, each.choices))
      return fail(Code::invalid_param, 0,
                  fmt::format("{}: the parameter '{}' must be one of {}, and not '{}'", tool.name,
                              each.param.name, each.choices, base::printable(*text, 40)));
  }
  return arguments;
}

}  // namespace mcp
