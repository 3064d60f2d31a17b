// SPDX-License-Identifier: Apache-2.0
#include "mcp/plan.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/ids.h"
#include "base/strings.h"
#include "mcp/arguments.h"
#include "mcp/help.h"
#include "mcp/result.h"

namespace mcp {
namespace {

namespace json = boost::json;
using base::Code;
using base::fail;
using base::Result;

constexpr int64_t kUsualWaitMs = 30'000;
constexpr int64_t kMostBytes = 128 << 10;  // fits into a message, even if every byte is escaped
constexpr int64_t kBytesPerChar = 4;

bool has(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && !value->is_null();
}

void rename(json::object& object, std::string_view from, std::string_view to) {
  if (!has(object, from)) return;
  json::value value = std::move(object[from]);
  object.erase(from);
  object[to] = std::move(value);
}

void plan_spawn(Plan& plan, const json::object& defaults) {
  json::object& params = plan.params;
  const bool more = has(params, "session");
  const auto folder = wire::text(params, "cwd");
  if (folder && !folder->starts_with('/') && has(defaults, "cwd"))
    params["cwd"] = *wire::text(defaults, "cwd") + "/" + *folder;
  for (const auto& each : defaults)
    if (!has(params, each.key()) && !(more && each.key() == "cwd")) params[each.key()] = each.value();
  if (more) {
    plan.method = "pty.spawn";
    // They belong to the session, which has them already.
    for (const char* name : {"name", "labels", "settings"}) params.erase(name);
    return;
  }
  if (!has(params, "command")) {
    json::array command;
    if (has(params, "shell")) command.push_back(params["shell"]);
    params["command"] = std::move(command);
  }
  params.erase("shell");
}

void plan_list(Plan& plan) {
  const auto session = wire::text(plan.arguments, "session");
  plan.params.clear();
  if (!session) return;
  plan.method = "session.get";
  plan.params["session"] = *session;
}

void plan_run(Plan& plan) {
  plan.run = base::new_id();
  plan.params["run"] = plan.run;
  plan.params["progress"] = true;
}

// More bytes than characters that are shown need not travel.
void bound_bytes(Plan& plan) {
  const auto wanted = static_cast<int64_t>(plan.most_chars) * kBytesPerChar;
  if (!has(plan.params, "max_bytes")) plan.params["max_bytes"] = std::min(wanted, kMostBytes);
}

Result<Plan> plan_action(json::object arguments, const json::object& defaults) {
  const std::string action = wire::text(arguments, "action").value_or("");
  const auto all = actions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Action& each) { return each.name == action; });
  arguments.erase("action");
  rename(arguments, "session_id", "session");
  if (action == "resolve" && !has(arguments, "label") && !has(arguments, "owner") && !has(arguments, "agent"))
    return fail(Code::invalid_param, 0, "resolve needs a label, an owner or an agent to look for");
  auto plan = make_plan(found->tool, std::move(arguments), defaults);
  if (plan) plan->action = action;
  return plan;
}

}  // namespace

Result<Plan> make_plan(std::string_view name, json::object arguments, const json::object& defaults) {
  const Tool* tool = find_tool(name);
  if (tool == nullptr)
    return fail(Code::invalid_param, 0, fmt::format("there is no tool '{}'", base::printable(name, 64)));
  auto checked = check_arguments(*tool, std::move(arguments));
  if (!checked) return fail(checked);
  if (tool->odd == Odd::by_action) return plan_action(std::move(*checked), defaults);

  Plan plan{.tool = tool, .arguments = std::move(*checked), .method = std::string(tool->method)};
  plan.most_chars = static_cast<size_t>(
      wire::integer(plan.arguments, "max_chars").value_or(static_cast<int64_t>(kUsualChars)));
  plan.params = plan.arguments;
  plan.params.erase("max_chars");
  plan.waits = tool->waits;
  plan.again = tool->hints.read_only;
  switch (tool->odd) {
    case Odd::help:
      plan.answer = json::object{{"help", help_text(wire::text(plan.arguments, "topic").value_or(""))}};
      break;
    case Odd::spawn:
      plan_spawn(plan, defaults);
      break;
    case Odd::kill:
      if (has(plan.params, "pty")) plan.method = "pty.kill";
      break;
    case Odd::list:
      plan_list(plan);
      break;
    case Odd::run:
      plan_run(plan);
      bound_bytes(plan);
      break;
    case Odd::no:
    case Odd::by_action:
      break;
  }
  if (plan.method == "pty.read") {
    bound_bytes(plan);
    plan.waits = wire::integer(plan.params, "timeout_ms").value_or(0) > 0;
  }
  if (plan.method == "pty.wait" && !has(plan.params, "timeout_ms")) plan.params["timeout_ms"] = kUsualWaitMs;
  return plan;
}

}  // namespace mcp
