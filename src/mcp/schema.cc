// SPDX-License-Identifier: Apache-2.0
#include "mcp/schema.h"

#include <boost/json/array.hpp>
#include <limits>

#include "base/strings.h"

namespace mcp {
namespace {

namespace json = boost::json;
using wire::Kind;

json::object type_of(const wire::Param& param) {
  switch (param.kind) {
    case Kind::text:
      return {{"type", "string"}};
    case Kind::number:
      return {{"type", "number"}};
    case Kind::flag:
      return {{"type", "boolean"}};
    case Kind::texts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case Kind::map:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case Kind::integer:
      break;
  }
  json::object type{{"type", "integer"}, {"minimum", param.least}};
  if (param.most != std::numeric_limits<int64_t>::max()) type["maximum"] = param.most;
  return type;
}

json::object property_of(const Field& field) {
  json::object property;
  if (field.type.ends_with('?'))
    property["type"] = json::array{field.type.substr(0, field.type.size() - 1), "null"};
  else
    property["type"] = field.type;
  property["description"] = field.help;
  return property;
}

json::object error_property() {
  return {{"type", "object"},
          {"description", "Instead of everything else, when it failed"},
          {"properties",
           {{"code", {{"type", "string"}, {"description", "As PTY_TIMEOUT"}}},
            {"message", {{"type", "string"}}}}},
          {"required", json::array{"code", "message"}}};
}

}  // namespace

json::object input_schema(const Tool& tool) {
  json::object properties;
  json::array required;
  for (const Argument& each : tool.takes) {
    json::object property = type_of(each.param);
    property["description"] = each.help;
    if (!each.choices.empty()) {
      json::array choices;
      for (const std::string_view choice : base::split(each.choices, '|')) choices.emplace_back(choice);
      property["enum"] = std::move(choices);
    }
    properties[each.param.name] = std::move(property);
    if (each.param.need == wire::Need::required) required.emplace_back(each.param.name);
  }
  json::object schema{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

json::object output_schema(const Tool& tool) {
  json::object properties;
  json::array required;
  for (const Field& each : tool.gives) {
    properties[each.name] = property_of(each);
    required.emplace_back(each.name);
  }
  properties["error"] = error_property();
  json::object done{{"required", std::move(required)}};
  json::object failed{{"required", json::array{"error"}}};
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"anyOf", json::array{std::move(done), std::move(failed)}}};
}

json::object describe(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.help},
          {"inputSchema", input_schema(tool)},
          {"outputSchema", output_schema(tool)},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", tool.hints.read_only},
            {"destructiveHint", tool.hints.destructive},
            {"idempotentHint", tool.hints.idempotent},
            {"openWorldHint", tool.hints.open_world}}}};
}

}  // namespace mcp
