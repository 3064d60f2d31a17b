// SPDX-License-Identifier: Apache-2.0
#include "cli/access.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>

#include "base/clock.h"
#include "base/folders.h"
#include "base/programs.h"
#include "base/strings.h"
#include "cli/report.h"
#include "wire/params.h"
#include "wire/reach.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;

template <typename T>
Result<T> unreachable(Result<T> found) {
  if (!found && found.error().code == Code::internal) found.error().code = Code::no_daemon;
  return found;
}

wire::Greeting own_greeting() { return {.agent = wire::default_agent(), .channel = "cli"}; }

}  // namespace

Result<wire::Client> reach_daemon() { return reach_daemon_as(own_greeting()); }

Result<wire::Client> reach_daemon_as(const wire::Greeting& greeting) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  return unreachable(wire::reach(*folders, base::find_program("tend-daemon"), greeting));
}

Result<wire::Client> reach_running_daemon() { return reach_running_daemon_as(own_greeting()); }

Result<std::optional<wire::Client>> find_daemon() {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  return unreachable(wire::find_running(*folders, own_greeting()));
}

Result<wire::Client> reach_running_daemon_as(const wire::Greeting& greeting) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  return unreachable(wire::reach_running(*folders, greeting));
}

Result<wire::json::value> look(wire::Client& client, std::string_view method,
                               const wire::json::object& params) {
  const base::RealClock clock;
  const base::Moment begin = clock.now();
  wire::json::object left = params;
  for (;;) {
    auto answer = client.call(method, left, {});
    if (answer || answer.error().sys != ECONNRESET) return answer;
    auto next = reach_daemon();
    if (!next) return fail(next);
    client = std::move(*next);
    if (const auto limit = wire::integer(params, "timeout_ms")) {
      const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - begin).count();
      left["timeout_ms"] = std::max<int64_t>(*limit - spent, 0);
    }
  }
}

Result<Target> parse_target(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Target{std::string(text), {}};
  const auto number = base::parse_number<uint32_t>(text.substr(colon + 1), 0, 63);
  if (!number || colon == 0)
    return fail(Code::invalid_param, 0,
                fmt::format("'{}' is not SESSION or SESSION:N", base::printable(text, 80)));
  return Target{std::string(text.substr(0, colon)), number};
}

wire::json::object to_params(const Target& target) {
  wire::json::object params{{"session", target.session}};
  if (target.pty) params["pty"] = *target.pty;
  return params;
}

Result<wire::json::array> all_sessions(wire::Client& client, base::Duration deadline) {
  wire::json::array all;
  wire::json::object params;
  for (;;) {
    auto page = client.call("session.list", params, deadline);
    if (!page) return fail(page);
    for (wire::json::value& each : page->at("sessions").as_array()) all.push_back(std::move(each));
    const auto next = wire::text(page->as_object(), "next");
    if (!next) return all;
    params["after"] = *next;
  }
}

Result<Target> only_session(wire::Client& client) {
  auto list = all_sessions(client);
  if (!list) return fail(list);
  std::vector<std::string> names;
  for (const wire::json::value& each : *list) {
    if (each.at("ended_at").is_null()) names.push_back(wire::text(each.as_object(), "name").value_or(""));
  }
  if (names.size() == 1) return Target{names[0], {}};
  if (names.empty())
    return fail(Code::pty_session_not_found, 0, "there is no session; start one with 'tend run -- COMMAND'");
  std::string all;
  for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
  return fail(Code::invalid_param, 0, "which session? There are " + all);
}

}  // namespace cli
