// SPDX-License-Identifier: Apache-2.0
#include "cli/inbox_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <pwd.h>
#include <unistd.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::fail;
using base::Result;
namespace json = wire::json;

constexpr size_t kMostSubject = 60;
constexpr size_t kMostBody = 64 << 10;

std::string text_of(const json::object& object, std::string_view name) {
  return wire::text(object, name).value_or("");
}

// Where accounts come from elsewhere, asking for them would take libraries that a static program has not.
std::optional<std::string> local_account(uid_t uid) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/etc/passwd", "re"), std::fclose);
  if (!file) return {};
  while (const passwd* each = ::fgetpwent(file.get())) {
    if (each->pw_uid == uid) return each->pw_name;
  }
  return {};
}

std::string who(const std::optional<std::string>& as) {
  if (as) return *as;
  if (const char* given = std::getenv("TEND_AGENT_ID"); given != nullptr && *given != '\0') return given;
  if (auto account = local_account(::getuid())) return *account;
  if (const char* given = std::getenv("LOGNAME"); given != nullptr && *given != '\0') return given;
  return fmt::format("uid:{}", ::getuid());
}

Tone tone_of(std::string_view state) {
  if (state == "open") return Tone::busy;
  if (state == "done") return Tone::good;
  return state == "dead" ? Tone::bad : Tone::plain;
}

// The subject, or the body's first line.
std::string about(const json::object& message) {
  std::string text = text_of(message, "subject");
  if (text.empty()) text = text_of(message, "body");
  return clip(text.substr(0, text.find('\n')), kMostSubject);
}

std::string age_of(const json::object& message) {
  const auto sent = parse_time(text_of(message, "created_at"));
  return sent ? ago(*sent, base::RealClock().wall()) : "";
}

std::string table_of(const json::array& messages) {
  Table table({"ID", "STATE", "FROM", "TO", "SUBJECT", "AGE", "CLAIMED BY", "THREAD"});
  for (const json::value& each : messages) {
    const json::object& message = each.as_object();
    const std::string state = text_of(message, "state");
    const std::string to = text_of(message, "to");
    const std::string thread = text_of(message, "thread");
    table.add({{text_of(message, "id"), Tone::strong},
               {state, tone_of(state)},
               {text_of(message, "from")},
               {to.empty() ? "anybody" : to},
               {about(message)},
               {age_of(message)},
               {text_of(message, "claimed_by")},
               {thread == text_of(message, "id") ? "" : thread, Tone::faint}});
  }
  return table.text();
}

std::string letter_of(const json::object& message) {
  const auto line = [](std::string_view name, const std::string& value) {
    return value.empty() ? std::string() : fmt::format("{:<9}{}\n", name, base::printable(value, 1000));
  };
  std::string evidence;
  for (const json::value& each : message.at("evidence").as_array())
    evidence += (evidence.empty() ? "" : " ") + std::string(each.as_string());
  return line("id", text_of(message, "id")) + line("thread", text_of(message, "thread")) +
         line("from", text_of(message, "from")) + line("subject", text_of(message, "subject")) +
         line("evidence", evidence) + "\n" + harmless_lines(text_of(message, "body"));
}

void put(json::object& params, std::string_view name, const std::optional<std::string>& value) {
  if (value) params[name] = *value;
}

Result<int> show_list(const InboxListOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params;
  put(params, "to", options.to);
  put(params, "thread", options.thread);
  put(params, "state", options.state);
  json::array all;
  for (;;) {
    auto page = client->call("inbox.list", params);
    if (!page) return fail(page);
    for (json::value& each : page->at("messages").as_array()) all.push_back(std::move(each));
    const auto next = wire::text(page->as_object(), "next");
    if (!next) break;
    params["after"] = *next;
  }
  if (options.json) return print_json(std::move(all));
  if (!all.empty()) return print(table_of(all));
  fmt::print(stderr, "the inbox is empty\n");
  return kDone;
}

Result<int> send_one(const InboxSendOptions& options) {
  json::object params{{"agent_id", who(options.as)}, {"body", options.body}};
  if (options.body == "-") {
    auto body = read_input(kMostBody);
    if (!body) return fail(body);
    params["body"] = *body;
  }
  put(params, "to", options.to);
  put(params, "subject", options.subject);
  put(params, "thread", options.thread);
  json::array evidence;
  for (const std::string& each : options.evidence) evidence.emplace_back(each);
  if (!evidence.empty()) params["evidence"] = std::move(evidence);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto sent = client->call("inbox.send", std::move(params));
  if (!sent) return fail(sent);
  return options.json ? print_json(*sent) : print(text_of(sent->as_object(), "id") + "\n");
}

Result<int> claim_one(const InboxClaimOptions& options) {
  json::object params{{"agent_id", who(options.as)}};
  put(params, "id", options.id);
  put(params, "to", options.to);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto claimed = client->call("inbox.claim", std::move(params));
  if (!claimed) return fail(claimed);
  const json::value& message = claimed->at("message");
  if (options.json) return print_json(message);
  if (message.is_object()) return print(letter_of(message.as_object()));
  fmt::print(stderr, "{}\n", options.id ? "somebody else has it" : "there is nothing to claim");
  return kDone;
}

Result<int> finish_one(const InboxDoneOptions& options) {
  json::object params{{"agent_id", who(options.as)}, {"id", options.id}};
  put(params, "result", options.result);
  if (options.result == "-") {
    auto result = read_input(kMostBody);
    if (!result) return fail(result);
    params["result"] = *result;
  }
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto done = client->call("inbox.done", std::move(params));
  if (!done) return fail(done);
  return options.json ? print_json(done->at("message")) : kDone;
}

}  // namespace

int list_inbox(const InboxListOptions& options) { return finish(show_list(options)); }

int send_message(const InboxSendOptions& options) { return finish(send_one(options)); }

int claim_message(const InboxClaimOptions& options) { return finish(claim_one(options)); }

int finish_message(const InboxDoneOptions& options) { return finish(finish_one(options)); }

}  // namespace cli
