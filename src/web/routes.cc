// SPDX-License-Identifier: Apache-2.0
#include "web/routes.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "base/strings.h"

namespace web {
namespace {

using base::Code;
using base::Result;
namespace json = boost::json;

constexpr Access kFull = Access::full;
constexpr Access kRead = Access::read_only;

constexpr std::array kRoutes = std::to_array<Route>({
    {Verb::get, "/api/status", "daemon.status", kRead},
    {Verb::get, "/api/sessions", "session.list", kRead},
    {Verb::post, "/api/sessions", "session.create", kFull},
    {Verb::get, "/api/sessions/{session}", "session.get", kRead},
    {Verb::del, "/api/sessions/{session}", "session.kill", kFull},
    {Verb::post, "/api/sessions/{session}/restart", "session.restart", kFull},
    {Verb::get, "/api/sessions/{session}/ptys", "pty.list", kRead},
    {Verb::post, "/api/sessions/{session}/ptys", "pty.spawn", kFull},
    {Verb::del, "/api/sessions/{session}/ptys/{pty}", "pty.kill", kFull},
    {Verb::get, "/api/sessions/{session}/ptys/{pty}/screen", "pty.screen", kRead},
    {Verb::get, "/api/sessions/{session}/ptys/{pty}/output", "pty.read", kRead},
    {Verb::get, "/api/sessions/{session}/ptys/{pty}/wait", "pty.wait", kRead},
    {Verb::post, "/api/sessions/{session}/ptys/{pty}/write", "pty.write", kFull},
    {Verb::post, "/api/sessions/{session}/ptys/{pty}/run", "pty.run", kFull},
    {Verb::post, "/api/sessions/{session}/ptys/{pty}/resize", "pty.resize", kFull},
    {Verb::get, "/api/prompts", "prompt.list", kRead},
    {Verb::get, "/api/prompts/{prompt_id}", "prompt.get", kRead},
    {Verb::post, "/api/prompts/{prompt_id}/answer", "prompt.answer", kFull},
    {Verb::get, "/api/inbox", "inbox.list", kRead},
    {Verb::post, "/api/inbox", "inbox.send", kFull},
    {Verb::get, "/api/evidence", "evidence.list", kFull},
    {Verb::get, "/api/evidence/{evidence_id}", "evidence.get", kFull},
    {Verb::get, "/api/audit", "audit.show", kFull},
});

// The names in the path, if it fits.
std::optional<json::object> match(std::string_view pattern, const Target& target) {
  const auto parts = base::split(pattern.substr(1), '/');
  if (parts.size() != target.segments.size()) return {};
  json::object names;
  for (size_t i = 0; i < parts.size(); i++) {
    const std::string& segment = target.segments[i];
    if (!parts[i].starts_with('{')) {
      if (parts[i] != segment) return {};
      continue;
    }
    if (segment.empty()) return {};
    const std::string_view name = parts[i].substr(1, parts[i].size() - 2);
    if (name != "pty") {
      names[name] = segment;
      continue;
    }
    const auto number = base::parse_number<int64_t>(segment, 0, 63);
    if (!number) return {};
    names[name] = *number;
  }
  return names;
}

Result<json::value> typed(const wire::Param& param, const std::string& text) {
  using wire::Kind;
  const auto wrong = [&](std::string_view wanted) {
    return base::fail(Code::invalid_param, 0, std::string(param.name) + " must be " + std::string(wanted));
  };
  if (param.kind == Kind::integer || param.kind == Kind::number) {
    const auto number = base::parse_number<int64_t>(text, INT64_MIN, INT64_MAX);
    if (!number) return wrong("a whole number");
    return json::value(*number);
  }
  if (param.kind == Kind::flag) {
    if (text != "true" && text != "false") return wrong("true or false");
    return json::value(text == "true");
  }
  return json::value(text);
}

json::object schema_of(const wire::Param& param) {
  using wire::Kind;
  switch (param.kind) {
    case Kind::text:
      return {{"type", "string"}};
    case Kind::integer: {
      json::object schema{{"type", "integer"}, {"minimum", param.least}};
      if (param.most != std::numeric_limits<int64_t>::max()) schema["maximum"] = param.most;
      return schema;
    }
    case Kind::number:
      return {{"type", "number"}};
    case Kind::flag:
      return {{"type", "boolean"}};
    case Kind::texts:
      return {{"type", "array"}, {"items", json::object{{"type", "string"}}}};
    case Kind::map:
      return {{"type", "object"}, {"additionalProperties", json::object{{"type", "string"}}}};
  }
  return {};
}

json::object operation_of(const Route& route) {
  const host::Method* method = host::find_method(route.method);
  json::array parameters;
  json::object properties;
  json::array required;
  for (const wire::Param& each : method->params) {
    const bool in_path = route.path.find("{" + std::string(each.name) + "}") != std::string_view::npos;
    if (in_path || route.verb != Verb::post) {
      parameters.push_back(json::object{{"name", each.name},
                                        {"in", in_path ? "path" : "query"},
                                        {"required", in_path || each.need == wire::Need::required},
                                        {"schema", schema_of(each)}});
      continue;
    }
    properties[each.name] = schema_of(each);
    if (each.need == wire::Need::required) required.emplace_back(each.name);
  }
  json::object operation{
      {"operationId", route.method},
      {"summary", std::string(route.method) + " of docs/protocol.md"},
      {"x-token", access_name(route.access)},
      {"parameters", std::move(parameters)},
      {"responses",
       json::object{{"200", json::object{{"description", "its result"}}},
                    {"default", json::object{{"description", "an error, as docs/web.md has them"}}}}}};
  if (route.verb != Verb::post) return operation;
  json::object body{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) body["required"] = std::move(required);
  operation["requestBody"] = json::object{
      {"content", json::object{{"application/json", json::object{{"schema", std::move(body)}}}}}};
  return operation;
}

}  // namespace

std::string_view verb_name(Verb verb) {
  switch (verb) {
    case Verb::get:
      return "GET";
    case Verb::post:
      return "POST";
    case Verb::del:
      return "DELETE";
  }
  return "";
}

std::span<const Route> routes() { return kRoutes; }

Found find_route(Verb verb, const Target& target) {
  Found found;
  for (const Route& each : kRoutes) {
    auto names = match(each.path, target);
    if (!names) continue;
    found.path_exists = true;
    if (each.verb != verb) continue;
    found.route = &each;
    found.params = std::move(*names);
    return found;
  }
  return found;
}

Result<void> add_query(const Target& target, std::span<const wire::Param> known, json::object& params) {
  for (const auto& [name, text] : target.query) {
    const auto param =
        std::find_if(known.begin(), known.end(), [&](const wire::Param& each) { return each.name == name; });
    if (param == known.end())
      return base::fail(Code::invalid_param, 0, "there is no parameter '" + base::printable(name, 40) + "'");
    if (params.contains(name))
      return base::fail(Code::invalid_param, 0, "'" + base::printable(name, 40) + "' is given twice");
    auto value = typed(*param, text);
    if (!value) return base::fail(value);
    params[name] = std::move(*value);
  }
  return {};
}

json::object openapi() {
  json::object paths;
  for (const Route& each : kRoutes) {
    if (!paths.contains(each.path)) paths[each.path] = json::object();
    const std::string_view verb = each.verb == Verb::get    ? "get"
                                  : each.verb == Verb::post ? "post"
                                                            : "delete";
    paths[each.path].as_object()[verb] = operation_of(each);
  }
  return {{"openapi", "3.1.0"},
          {"info", json::object{{"title", "tend"}, {"version", TEND_VERSION}}},
          {"security",
           json::array{json::object{{"token", json::array()}}, json::object{{"cookie", json::array()}}}},
          {"components",
           json::object{
               {"securitySchemes",
                json::object{
                    {"token", json::object{{"type", "http"}, {"scheme", "bearer"}}},
                    {"cookie", json::object{{"type", "apiKey"}, {"in", "cookie"}, {"name", "tend_PORT"}}}}}}},
          {"paths", std::move(paths)}};
}

}  // namespace web
