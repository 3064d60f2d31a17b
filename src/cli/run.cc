// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/relay.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "cli/size.h"
#include "cli/surroundings.h"
#include "cli/user_terminal.h"
#include "config/show.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

Result<json::object> make_labels(const std::vector<std::string>& labels) {
  json::object object;
  for (const std::string& each : labels) {
    const size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Code::invalid_param, 0,
                  "--label is NAME=VALUE, and not '" + base::printable(each, 80) + "'");
    object[each.substr(0, equals)] = each.substr(equals + 1);
  }
  return object;
}

Result<json::object> make_request(const RunOptions& options, const config::Loaded& settings) {
  auto folder = find_folder(options.cwd);
  if (!folder) return fail(folder);
  auto labels = make_labels(options.labels);
  if (!labels) return fail(labels);
  json::object request{
      {"command", to_array(options.command)},
      {"cwd", *folder},
      {"env", settings.config.sandbox.enabled ? make_sandbox_environment(settings.config)
                                              : make_environment(settings.config.session.env)},
      {"umask", current_umask()},
      {"labels", std::move(*labels)},
      {"settings", config::show_changes(settings)},
      {"auto_restart", options.restart}};
  if (!options.name.empty()) request["name"] = options.name;
  if (!options.size.empty()) {
    auto size = parse_size(options.size, "--size");
    if (!size) return fail(size);
    request["cols"] = size->cols;
    request["rows"] = size->rows;
    request["fixed_size"] = true;
  }
  return request;
}

// Nobody reads what the program writes any more, as in `tend run -- yes | head`: it ends, as it would without
// tend. A person who leaves a terminal is another thing.
Result<int> end_unread(const std::string& session) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto killed = client->call("session.kill", {{"session", session}});
  if (!killed && killed.error().code != Code::pty_process_exited) return fail(killed);
  return 128 + SIGPIPE;
}

Result<int> relay_to_the_end(UserTerminal& terminal, wire::Client client, const json::object& attached,
                             const Relay& how) {
  auto end = relay(terminal, std::move(client), attached, how);
  if (!end) return fail(end);
  if (end->exit) return end->exit->code;
  // Left behind on purpose is fine; thrown out is not.
  return end->reason.empty() ? kDone : kFailed;
}

Result<int> run_session(const RunOptions& options, GlobalOptions global) {
  if (options.sandbox) global.assignments.emplace_back("sandbox.enabled=true");
  auto opening = open_terminal(global);
  if (!opening) return fail(opening);
  auto& [settings, terminal, client] = *opening;
  auto request = make_request(options, settings);
  if (!request) return fail(request);
  if (options.detached) {
    auto created = client.call("session.create", std::move(*request));
    if (!created) return fail(created);
    print_name(created->as_object(), options.json);
    return kDone;
  }
  const bool fixed = !options.size.empty();
  if (!fixed) add_window(*request, terminal);
  const bool lossless = !terminal.shows();
  (*request)["attach"] = true;
  (*request)["lossless"] = lossless;
  auto created = client.call("session.create", std::move(*request));
  if (!created) return fail(created);
  const bool piped = ::isatty(1) == 0;
  if (piped) ::signal(SIGPIPE, SIG_IGN);
  auto code = relay_to_the_end(
      terminal, std::move(client), created->at("attached").as_object(),
      {.lossless = lossless, .follow_window = !fixed, .detach_key = settings.config.session.detach_key});
  if (piped && !code && code.error().sys == EPIPE)
    return end_unread(wire::text(created->as_object(), "id").value_or(""));
  return code;
}

Result<int> open_shell(const ShellOptions& options, const GlobalOptions& global) {
  auto opening = open_terminal(global);
  if (!opening) return fail(opening);
  auto& [settings, terminal, client] = *opening;
  auto target = options.session.empty() ? only_session(client) : parse_target(options.session);
  if (!target) return fail(target);
  std::vector<std::string> command = options.command;
  if (command.empty()) {
    const char* own = std::getenv("SHELL");
    command = {own != nullptr && *own == '/' ? own : "/bin/sh"};
  }
  auto session = client.call("session.get", {{"session", target->session}});
  if (!session) return fail(session);
  const bool in_sandbox = session->as_object().at("sandbox").is_object();
  json::object request{{"session", target->session},
                       {"command", to_array(command)},
                       {"env", in_sandbox ? make_sandbox_environment(settings.config)
                                          : make_environment(settings.config.session.env)},
                       {"umask", current_umask()}};
  add_window(request, terminal);
  auto spawned = client.call("pty.spawn", std::move(request));
  if (!spawned) return fail(spawned);
  const json::object& pty = spawned->as_object();
  if (options.detached) {
    if (options.json)
      fmt::print("{}\n", json::serialize(pty));
    else
      fmt::print("{}:{}\n", wire::text(pty, "name").value_or(""), wire::integer(pty, "id").value_or(0));
    return kDone;
  }
  json::object params{{"session", wire::text(pty, "session").value_or("")},
                      {"pty", wire::integer(pty, "id").value_or(0)},
                      {"from", 0},
                      {"lossless", !terminal.shows()}};
  add_window(params, terminal);
  auto answer = client.call("pty.attach", std::move(params));
  if (!answer) return fail(answer);
  return relay_to_the_end(terminal, std::move(client), answer->at("attached").as_object(),
                          {.lossless = !terminal.shows(), .detach_key = settings.config.session.detach_key});
}

}  // namespace

void print_name(const json::object& session, bool as_json) {
  if (as_json)
    fmt::print("{}\n", json::serialize(session));
  else
    fmt::print("{}\n", wire::text(session, "name").value_or(""));
}

int run(const RunOptions& options, const GlobalOptions& global) {
  return finish(run_session(options, global));
}

int shell(const ShellOptions& options, const GlobalOptions& global) {
  return finish(open_shell(options, global));
}

}  // namespace cli
