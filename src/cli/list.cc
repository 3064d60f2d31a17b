// SPDX-License-Identifier: Apache-2.0
#include "cli/list.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cstdio>
#include <fmt/format.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/output.h"
#include "cli/prompts.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr size_t kMostCommand = 40;
constexpr size_t kMostQuestion = 60;

std::string text_of(const json::object& object, std::string_view name) {
  return wire::text(object, name).value_or("");
}

std::string age(const json::object& session) {
  const auto created = parse_time(text_of(session, "created_at"));
  return created ? ago(*created, base::RealClock().wall()) : "";
}

int64_t clients_of(const json::object& session) {
  int64_t clients = 0;
  for (const json::value& each : session.at("ptys").as_array())
    clients += wire::integer(each.as_object(), "clients").value_or(0);
  return clients;
}

std::string list_table(const json::array& sessions) {
  // Asked for only where something asks.
  const bool any_asks = std::any_of(sessions.begin(), sessions.end(),
                                    [](const json::value& each) { return each.at("prompt").is_object(); });
  std::vector<std::string> head = {"NAME", "ID", "STATE", "CLIENTS", "AGE", "COMMAND", "CWD"};
  if (any_asks) head.emplace_back("ASKS");
  Table table(std::move(head));
  for (const json::value& each : sessions) {
    const json::object& session = each.as_object();
    const std::string state = text_of(session, "state");
    std::vector<Cell> row = {{text_of(session, "name"), Tone::strong},
                             {text_of(session, "id"), Tone::faint},
                             {state, tone_of_state(state)},
                             {std::to_string(clients_of(session))},
                             {age(session)},
                             {clip(command_line(session.at("command")), kMostCommand)},
                             {short_path(text_of(session, "cwd"))}};
    if (any_asks) {
      const json::value& prompt = session.at("prompt");
      row.push_back(
          {prompt.is_object() ? clip(question_line(prompt.as_object()), kMostQuestion) : "", Tone::busy});
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string pty_table(const json::array& ptys, std::string_view indent) {
  Table table({"PTY", "STATE", "PID", "SIZE", "CLIENTS", "OUTPUT", "RESTARTS", "COMMAND"});
  for (const json::value& each : ptys) {
    const json::object& pty = each.as_object();
    const std::string ended = how_it_ended(pty);
    const std::string state = text_of(pty, "state");
    const auto pid = wire::integer(pty, "pid");
    const auto number = [&](std::string_view name) { return wire::integer(pty, name).value_or(0); };
    table.add({{std::to_string(number("id")), Tone::strong},
               {ended.empty() || state == "running" ? state : fmt::format("{}, {}", state, ended),
                tone_of_state(state)},
               {pid ? std::to_string(*pid) : "-"},
               {fmt::format("{}x{}", number("cols"), number("rows"))},
               {std::to_string(number("clients"))},
               {amount_of_bytes(
                   static_cast<uint64_t>(wire::integer(pty.at("output").as_object(), "end").value_or(0)))},
               {std::to_string(number("restarts"))},
               {clip(command_line(pty.at("command")), 400)}});
  }
  return table.text(indent);
}

std::string line(std::string_view name, std::string_view value) {
  return fmt::format("{:<12} {}\n", name, base::printable(value, 1000));
}

// For each PTY of a session, as session.get shows it.
std::string why_of(const json::object& session) {
  std::string text;
  for (const json::value& each : session.at("ptys").as_array()) {
    const json::object& pty = each.as_object();
    text += fmt::format("{}:{}\n", toned(text_of(session, "name"), Tone::strong),
                        wire::integer(pty, "id").value_or(0));
    text += explain(pty.at("why").as_object(), "  ");
  }
  return text;
}

Result<std::string> why_of_all(wire::Client& client, const json::array& sessions) {
  std::string text;
  for (const json::value& each : sessions) {
    auto session = client.call("session.get", {{"session", text_of(each.as_object(), "id")}});
    // One that went in the meantime needs no explanation.
    if (!session && session.error().code == Code::pty_session_not_found) continue;
    if (!session) return fail(session);
    text += why_of(session->as_object());
  }
  return text;
}

// Everything that is known of it.
std::string about_session(const json::object& session) {
  std::string state = text_of(session, "state");
  if (wire::flag(session, "backing_off"))
    state += " (it ends again and again: the pauses between restarts grow)";
  std::string text =
      line("session", text_of(session, "name")) + line("id", text_of(session, "id")) + line("state", state);
  if (const json::value& prompt = session.at("prompt"); prompt.is_object())
    text += line("asks", question_line(prompt.as_object()));
  text += line("created", fmt::format("{} ({})", text_of(session, "created_at"), age(session)));
  if (const auto ended = wire::text(session, "ended_at")) text += line("ended", *ended);
  text += line("cwd", text_of(session, "cwd")) + line("command", command_line(session.at("command")));
  text += line("owner", text_of(session, "owner"));
  text +=
      line("restart", wire::flag(session, "auto_restart") ? "whenever the program ends" : "only on request");
  for (const auto& [name, value] : session.at("labels").as_object())
    text += line("label", fmt::format("{}={}", std::string_view(name), std::string_view(value.as_string())));
  for (const json::value& each : session.at("ptys").as_array()) {
    const std::string title = text_of(each.as_object(), "title");
    if (!title.empty())
      text += line(fmt::format("title of {}", wire::integer(each.as_object(), "id").value_or(0)), title);
  }
  return text + "\n" + pty_table(session.at("ptys").as_array(), "");
}

std::string about_all(const json::object& daemon, const json::array& sessions) {
  const auto number = [&](std::string_view name) { return wire::integer(daemon, name).value_or(0); };
  std::string text =
      fmt::format("daemon {}, version {}, up {}, {} living sessions, {} clients\n", number("pid"),
                  text_of(daemon, "version"), duration(std::chrono::seconds(number("uptime_s"))),
                  number("sessions"), number("clients"));
  for (const json::value& each : daemon.at("channels").as_array()) {
    const std::string state = text_of(each.as_object(), "state");
    text += fmt::format("channel {} {}\n", text_of(each.as_object(), "kind"),
                        toned(state, state == "good" ? Tone::good : Tone::bad));
  }
  for (const json::value& each : daemon.at("degraded").as_array())
    text += toned("degraded: ", Tone::bad) + base::printable(std::string_view(each.as_string()), 1000) + "\n";
  for (const json::value& each : sessions) {
    const json::object& session = each.as_object();
    const std::string state = text_of(session, "state");
    text += fmt::format("\n{} {}, {}, {}\n", toned(text_of(session, "name"), Tone::strong),
                        toned(state, tone_of_state(state)), age(session),
                        base::printable(short_path(text_of(session, "cwd")), 1000));
    text += pty_table(session.at("ptys").as_array(), "  ");
  }
  return text;
}

Result<int> show_list(const ListOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto list = all_sessions(*client);
  if (!list) return fail(list);
  if (options.json) return print_json(*list);
  if (list->empty()) {
    fmt::print(stderr, "no sessions; start one with 'tend run -- COMMAND'\n");
    return kDone;
  }
  std::string text = list_table(*list);
  if (options.explain) {
    auto why = why_of_all(*client, *list);
    if (!why) return fail(why);
    text += "\n" + *why;
  }
  return print(text);
}

Result<int> show_status(const StatusOptions& options) {
  auto target = parse_target(options.session);
  if (!target) return fail(target);
  if (target->pty) return fail(Code::invalid_param, 0, "status is of a whole session: leave the ':N' out");
  auto client = reach_daemon();
  if (!client) return fail(client);
  if (!options.session.empty()) {
    auto session = client->call("session.get", {{"session", target->session}});
    if (!session) return fail(session);
    if (options.json) return print_json(*session);
    std::string text = about_session(session->as_object());
    if (options.explain) text += "\n" + why_of(session->as_object());
    return print(text);
  }
  auto daemon = client->call("daemon.status", {});
  if (!daemon) return fail(daemon);
  auto list = all_sessions(*client);
  if (!list) return fail(list);
  if (options.json) return print_json(json::object{{"daemon", *daemon}, {"sessions", *list}});
  std::string text = about_all(daemon->as_object(), *list);
  if (options.explain) {
    auto why = why_of_all(*client, *list);
    if (!why) return fail(why);
    text += "\n" + *why;
  }
  return print(text);
}

}  // namespace

int list_sessions(const ListOptions& options) { return finish(show_list(options)); }

int status(const StatusOptions& options) { return finish(show_status(options)); }

int print_session_names() {
  auto client = reach_running_daemon();
  if (!client) return kDone;
  auto list = all_sessions(*client, std::chrono::seconds(1));
  if (!list) return kDone;
  std::string names;
  for (const json::value& each : *list) {
    if (each.at("ended_at").is_null()) names += text_of(each.as_object(), "name") + "\n";
  }
  return print(names);
}

}  // namespace cli
