// SPDX-License-Identifier: Apache-2.0
#include "cli/audit_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr int64_t kPage = 1000;  // rows of one answer, at most
constexpr size_t kMostDetail = 80;

std::string text_of(const json::object& row, std::string_view name) {
  return wire::text(row, name).value_or("");
}

// What was done, in a few words: the command, the keys, what went wrong.
std::string detail(const json::object& row) {
  std::string text = text_of(row, "command");
  if (text.empty() && wire::flag(row, "secret")) text = "(secret)";
  if (text.empty()) text = text_of(row, "text");
  if (text.empty() && !text_of(row, "bytes").empty()) text = fmt::format("base64 {}", text_of(row, "bytes"));
  const std::string summary = text_of(row, "summary");
  if (text.empty()) text = summary;
  if (const auto count = wire::integer(row, "count"); count && *count > 1)
    text += fmt::format("{}({} times)", text.empty() ? "" : " ", *count);
  return clip(text, kMostDetail);
}

std::string audit_table(const json::array& rows) {
  Table table({"SEQ", "AT", "ACTION", "SESSION", "AGENT", "CHANNEL", "RESULT", "DETAIL"});
  for (const json::value& each : rows) {
    const json::object& row = each.as_object();
    const auto at = std::chrono::microseconds(wire::integer(row, "at").value_or(0));
    std::string session = text_of(row, "session");
    if (const auto pty = wire::integer(row, "pty"); pty && !session.empty())
      session += fmt::format(":{}", *pty);
    const std::string result = text_of(row, "result");
    table.add({{std::to_string(wire::integer(row, "seq").value_or(0)), Tone::faint},
               {local_time(base::WallTime(at))},
               {text_of(row, "action"), Tone::strong},
               {session.empty() ? "-" : session},
               {text_of(row, "agent")},
               {text_of(row, "channel")},
               {result, result == "ok" ? Tone::good : Tone::bad},
               {detail(row)}});
  }
  return table.text();
}

// The newest rows that were asked for, newest first; an answer has as many as fit.
Result<json::array> newest_rows(wire::Client& client, const AuditShowOptions& options) {
  json::array rows;
  while (rows.size() < options.rows) {
    json::object params{
        {"newest_first", true},
        {"limit", std::min<int64_t>(kPage, static_cast<int64_t>(options.rows - rows.size()))}};
    if (options.session) params["session"] = *options.session;
    if (options.action) params["action"] = *options.action;
    if (options.agent) params["agent"] = *options.agent;
    if (!rows.empty()) params["after"] = rows.back().at("seq");
    auto page = client.call("audit.show", std::move(params));
    if (!page) return fail(page);
    if (page->as_array().empty()) break;
    for (json::value& each : page->as_array()) rows.push_back(std::move(each));
  }
  return rows;
}

Result<int> show_rows(const AuditShowOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto rows = newest_rows(*client, options);
  if (!rows) return fail(rows);
  std::reverse(rows->begin(), rows->end());
  return options.json ? print_json(std::move(*rows)) : print(audit_table(*rows));
}

Result<int> export_rows() {
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::value after = 0;
  for (;;) {
    auto page = client->call("audit.export", {{"after", after}, {"limit", kPage}});
    if (!page) return fail(page);
    if (page->as_array().empty()) return kDone;
    std::string lines;
    for (const json::value& each : page->as_array()) lines += json::serialize(each) + "\n";
    if (const int code = print(lines); code != kDone) return code;
    after = page->as_array().back().at("seq");
  }
}

Result<json::object> parse_anchor(std::string_view text) {
  const size_t colon = text.find(':');
  const auto seq = base::parse_number<int64_t>(text.substr(0, colon), 0, std::numeric_limits<int64_t>::max());
  if (!seq || colon == std::string_view::npos)
    return fail(Code::invalid_param, 0, "--anchor is SEQ:HASH, as 'tend audit head' prints it");
  return json::object{{"anchor_seq", *seq}, {"anchor_hash", text.substr(colon + 1)}};
}

Result<int> verify_rows(const AuditVerifyOptions& options) {
  auto params = options.anchor ? parse_anchor(*options.anchor) : json::object();
  if (!params) return fail(params);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto answer = client->call("audit.verify", std::move(*params), {});
  if (!answer) return fail(answer);
  const json::object& report = answer->as_object();
  const bool good = wire::flag(report, "ok");
  if (options.json) {
    const int printed = print_json(report);
    return good ? printed : static_cast<int>(kFailed);
  }
  const auto number = [&](std::string_view name) { return wire::integer(report, name).value_or(0); };
  if (good)
    return print(fmt::format("ok: {} rows, {} to {}, signed up to {}\n", number("rows"), number("first_seq"),
                             number("last_seq"), number("signed_up_to")));
  const auto bad = wire::integer(report, "bad_seq");
  return fail(Code::internal, 0,
              fmt::format("the audit is not what it was: {}{}", bad ? fmt::format("row {}: ", *bad) : "",
                          text_of(report, "problem")));
}

Result<int> print_head(const AuditHeadOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto head = client->call("audit.head", {});
  if (!head) return fail(head);
  if (options.json) return print_json(*head);
  const json::object& about = head->as_object();
  return print(fmt::format("{}:{}\n", wire::integer(about, "seq").value_or(0), text_of(about, "hash")));
}

}  // namespace

int show_audit(const AuditShowOptions& options) { return finish(show_rows(options)); }

int export_audit() { return finish(export_rows()); }

int verify_audit(const AuditVerifyOptions& options) { return finish(verify_rows(options)); }

int audit_head(const AuditHeadOptions& options) { return finish(print_head(options)); }

}  // namespace cli
