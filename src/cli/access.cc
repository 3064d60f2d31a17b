// SPDX-License-Identifier: Apache-2.0
#include "cli/access.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/folders.h"
#include "base/strings.h"
#include "cli/report.h"
#include "daemon/start.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;

Result<wire::Client> unreachable(Result<wire::Client> client) {
  if (!client && client.error().code == Code::internal) client.error().code = Code::no_daemon;
  return client;
}

// Beside this program in a build, in libexec of the same prefix once installed.
Result<std::string> find_beside(const std::string& name) {
  const auto here = std::filesystem::path(own_program()).parent_path();
  for (const auto& place : {here / name, here.parent_path() / "libexec/tend" / name}) {
    if (::access(place.c_str(), X_OK) == 0) return place.string();
  }
  return fail(Code::internal, 0,
              fmt::format("{} is neither beside tend nor in its libexec folder; install tend again", name));
}

wire::Greeting own_greeting() { return {.agent = wire::default_agent(), .channel = "cli"}; }

}  // namespace

std::string own_program() {
  std::error_code ignored;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  // A program that was replaced while it runs.
  if (path.ends_with(" (deleted)")) path.erase(path.size() - std::string_view(" (deleted)").size());
  return path;
}

Result<std::string> find_keeper() { return find_beside("tend-keeper"); }
Result<std::string> find_channel() { return find_beside("tend-channel"); }

Result<wire::Client> reach_daemon() { return reach_daemon_as(own_greeting()); }

Result<wire::Client> reach_daemon_as(const wire::Greeting& greeting) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  return unreachable(host::reach(*folders, own_program(), greeting));
}

Result<wire::Client> reach_running_daemon() { return reach_running_daemon_as(own_greeting()); }

Result<wire::Client> reach_running_daemon_as(const wire::Greeting& greeting) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  return unreachable(host::reach_running(*folders, greeting));
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
