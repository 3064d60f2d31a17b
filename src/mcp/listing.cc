// SPDX-License-Identifier: Apache-2.0
#include "mcp/listing.h"

#include <string>
#include <string_view>

#include "wire/params.h"

namespace mcp {
namespace {

namespace json = boost::json;

json::value copy_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr ? *value : json::value(nullptr);
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool has_label(const json::object& session, std::string_view wanted) {
  const json::value* labels = session.if_contains("labels");
  if (labels == nullptr || !labels->is_object()) return false;
  const size_t equals = wanted.find('=');
  const json::value* found = labels->get_object().if_contains(wanted.substr(0, equals));
  if (found == nullptr || !found->is_string()) return false;
  return equals == std::string_view::npos ||
         std::string_view(found->get_string()) == wanted.substr(equals + 1);
}

// By the name of its file: "claude" is found as /usr/bin/claude too.
bool runs(const json::object& pty, std::string_view program) {
  const json::value* command = pty.if_contains("command");
  if (command == nullptr || !command->is_array() || command->get_array().empty()) return false;
  const json::value& first = command->get_array().front();
  if (!first.is_string()) return false;
  const std::string_view path = first.get_string();
  return path == program || path.substr(path.rfind('/') + 1) == program;
}

json::object describe(const json::object& session, const json::object& pty) {
  json::value question;
  if (const json::value* prompt = pty.if_contains("prompt"); prompt != nullptr && prompt->is_object())
    question = json::object{{"id", copy_of(prompt->get_object(), "id")},
                            {"type", copy_of(prompt->get_object(), "type")},
                            {"question", copy_of(prompt->get_object(), "question")}};
  json::object object{{"session", copy_of(session, "id")}, {"name", copy_of(session, "name")}};
  object["pty"] = copy_of(pty, "id");
  for (const char* name :
       {"state", "activity", "pid", "exit_code", "command", "cwd", "cols", "rows", "title"})
    object[name] = copy_of(pty, name);
  object["prompt"] = std::move(question);
  object["owner"] = copy_of(session, "owner");
  object["labels"] = copy_of(session, "labels");
  return object;
}

}  // namespace

json::array list_ptys(const json::array& sessions, const json::object& arguments) {
  const auto label = wire::text(arguments, "label");
  const auto owner = wire::text(arguments, "owner");
  const auto agent = wire::text(arguments, "agent");
  const bool all = wire::flag(arguments, "all");
  json::array list;
  for (const json::value& value : sessions) {
    if (!value.is_object()) continue;
    const json::object& session = value.get_object();
    if (label && !has_label(session, *label)) continue;
    if (owner && text_of(session, "owner") != *owner) continue;
    const json::value* ptys = session.if_contains("ptys");
    if (ptys == nullptr || !ptys->is_array()) continue;
    for (const json::value& each : ptys->get_array()) {
      if (!each.is_object()) continue;
      const json::object& pty = each.get_object();
      if (!all && text_of(pty, "state") == "dead") continue;
      if (agent && !runs(pty, *agent)) continue;
      list.push_back(describe(session, pty));
    }
  }
  return list;
}

}  // namespace mcp
