// SPDX-License-Identifier: Apache-2.0
#include "mcp/resources.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/strings.h"
#include "mcp/protocol.h"

namespace mcp {
namespace {

constexpr std::string_view kLead = "tend://session/";
constexpr size_t kLongestName = 64;

struct Row {
  Resource::Kind kind;
  std::string_view name;
  std::string_view title;
  std::string_view help;
};
constexpr std::array kRows = std::to_array<Row>(
    {{Resource::Kind::screen, "screen", "Screen", "What is on the screen of a PTY now, as text"},
     {Resource::Kind::log, "log", "Output", "The newest output of a PTY, as the program wrote it"}});

// Of a session's id or name.
bool may_be_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

}  // namespace

std::optional<Resource> parse_resource(std::string_view uri) {
  if (!uri.starts_with(kLead)) return {};
  const auto parts = base::split(uri.substr(kLead.size()), '/');
  if (parts.size() != 3 || !may_be_name(parts[0])) return {};
  const auto number = base::parse_number<uint32_t>(parts[1], 0, 63);
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) { return each.name == parts[2]; });
  if (!number || row == kRows.end()) return {};
  return Resource{std::string(parts[0]), *number, row->kind};
}

json::array resource_templates() {
  json::array list;
  for (const Row& each : kRows)
    list.push_back(json::object{{"uriTemplate", fmt::format("{}{{id}}/{{pty}}/{}", kLead, each.name)},
                                {"name", fmt::format("pty-{}", each.name)},
                                {"title", each.title},
                                {"description", each.help},
                                {"mimeType", "text/plain"}});
  return list;
}

json::array list_resources(const json::array& sessions) {
  json::array list;
  for (const json::value& value : sessions) {
    const json::object* session = value.if_object();
    const json::value* ptys = session != nullptr ? session->if_contains("ptys") : nullptr;
    if (ptys == nullptr || !ptys->is_array()) continue;
    const std::string id = text_at(*session, "id").value_or("");
    const std::string name = text_at(*session, "name").value_or("");
    for (const json::value& pty : ptys->get_array()) {
      const json::value* number = pty.is_object() ? pty.get_object().if_contains("id") : nullptr;
      if (number == nullptr || !number->is_int64()) continue;
      for (const Row& row : kRows)
        list.push_back(
            json::object{{"uri", fmt::format("{}{}/{}/{}", kLead, id, number->get_int64(), row.name)},
                         {"name", fmt::format("{}:{} {}", name, number->get_int64(), row.name)},
                         {"title", fmt::format("{} of {}:{}", row.title, name, number->get_int64())},
                         {"description", row.help},
                         {"mimeType", "text/plain"}});
    }
  }
  return list;
}

}  // namespace mcp
