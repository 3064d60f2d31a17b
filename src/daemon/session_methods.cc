// SPDX-License-Identifier: Apache-2.0
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/ids.h"
#include "base/strings.h"
#include "daemon/connection.h"
#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "daemon/settings.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
namespace json = wire::json;

constexpr std::chrono::seconds kGrace{5};
constexpr size_t kMostPage = 900 << 10;   // of sessions in one answer
constexpr size_t kMostLabels = 64 << 10;  // of one session

base::Duration grace_of(const Call& call) {
  return wire::flag(call.params(), "force") ? base::Duration(0) : base::Duration(kGrace);
}

// A caller that names no environment gets a small one, and not the daemon's.
std::vector<std::string> usual_environment() {
  std::vector<std::string> env = {"TERM=xterm-256color", "PATH=/usr/local/bin:/usr/bin:/bin"};
  for (const char* name : {"HOME", "USER", "LOGNAME", "SHELL", "LANG"}) {
    if (const char* value = std::getenv(name)) env.push_back(fmt::format("{}={}", name, value));
  }
  return env;
}

Result<session::CreateRequest> request_of(const Call& call) {
  session::CreateRequest request;
  request.name = wire::text(call.params(), "name").value_or("");
  request.labels = wire::text_map(call.params(), "labels");
  size_t labels = 0;
  for (const auto& [name, value] : request.labels) labels += name.size() + value.size();
  if (labels > kMostLabels) return base::fail(Code::invalid_param, 0, "the labels have more than 64 KiB");
  if (const auto loop = wire::text(call.params(), "loop")) {
    if (!base::is_id(*loop)) return base::fail(Code::invalid_param, 0, "loop must be the id of a loop");
    request.labels[session::kLoopLabel] = *loop;
  }
  request.settings_text = wire::text(call.params(), "settings").value_or("");
  auto settings = read_settings(request.settings_text);
  if (!settings) return base::fail(settings);
  request.settings = *settings;
  if (wire::flag(call.params(), "auto_restart")) request.settings.auto_restart = true;
  // A runner that has ended has ended its loop.
  if (request.labels.contains(session::kLoopLabel)) request.settings.auto_restart = false;
  if (request.labels.contains(session::kLoopLabel) && request.settings.sandbox.enabled)
    return base::fail(
        Code::invalid_param, 0,
        "a loop cannot be in a sandbox: its runner needs the daemon (set sandbox.enabled: false)");
  if (wire::flag(call.params(), "fixed_size")) request.settings.resize = config::Resize::fixed;
  request.agent = {.command = command_of(call),
                   .size = size_of(call, {request.settings.cols, request.settings.rows})};
  if (request.agent.command.cwd.empty()) {
    const char* home = std::getenv("HOME");
    request.agent.command.cwd = home != nullptr ? home : "/";
  }
  // The names of links may lead nowhere in a sandbox.
  if (request.settings.sandbox.enabled) {
    std::error_code reason;
    const auto real = std::filesystem::canonical(request.agent.command.cwd, reason);
    if (!reason) request.agent.command.cwd = real.string();
  }
  request.cwd = request.agent.command.cwd;
  return request;
}

// Where a session stands in the list, also when it has gone.
using Place = std::pair<int64_t, std::string>;

Place place_of(const session::Session& session) { return {session.record().created_at, session.id()}; }

std::optional<Place> parse_place(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const auto created_at =
      base::parse_number<int64_t>(text.substr(0, dash), 0, std::numeric_limits<int64_t>::max());
  if (!created_at) return {};
  return Place{*created_at, text.substr(dash + 1)};
}

void attach_to_new(const CallPtr& call, session::Session& created) {
  const auto connection = call->connection();
  session::Pty* pty = created.pty(0);
  if (!connection || pty == nullptr) return call->finish(describe(created, Detail::brief));
  session::AttachOptions options{.lossless = wire::flag(call->params(), "lossless"), .from = 0};
  if (!wire::flag(call->params(), "fixed_size") && wire::integer(call->params(), "cols"))
    options.window = pty->size();
  auto attached = connection->attach(created, *pty, options);
  if (!attached) return call->fail(attached.error());
  answer_attached(call, created, *pty, std::move(*attached), describe(created, Detail::brief));
}

}  // namespace

std::string join(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& each : command) text += (text.empty() ? "" : " ") + base::shell_quote(each);
  return text;
}

pty::Command command_of(const Call& call) {
  constexpr int64_t kUsualMask = 022;
  pty::Command command{
      .argv = wire::texts(call.params(), "command"),
      .env = wire::texts(call.params(), "env"),
      .cwd = wire::text(call.params(), "cwd").value_or(""),
      .umask = static_cast<mode_t>(wire::integer(call.params(), "umask").value_or(kUsualMask))};
  if (command.argv.empty()) command.argv = {wire::text(call.params(), "shell").value_or("/bin/sh")};
  if (command.env.empty()) command.env = usual_environment();
  return command;
}

void create_session(const CallPtr& call) {
  auto request = request_of(*call);
  if (!request) return call->fail(request.error());
  if (request->agent.command.argv[0].empty())
    return call->fail({Code::invalid_param, 0, "the command is empty"});
  request->owner = call->audit().agent;
  call->audit().command = join(request->agent.command.argv);
  call->audit().pty = 0;
  call->context().sessions.create(std::move(*request), [call](Result<session::Session*> created) {
    if (!created) return call->fail(created.error());
    call->audit().session = (*created)->id();
    call->audit().summary = (*created)->name();
    if (wire::flag(call->params(), "attach")) return attach_to_new(call, **created);
    call->finish(describe(**created, Detail::brief));
  });
}

// Oldest first, so that a session that comes while pages are asked for is on the last one.
void list_sessions(const CallPtr& call) {
  const auto limit = static_cast<size_t>(
      wire::integer(call->params(), "limit").value_or(std::numeric_limits<int64_t>::max()));
  std::optional<Place> after;
  if (const auto asked = wire::text(call->params(), "after")) {
    after = parse_place(*asked);
    if (!after) return call->fail({Code::invalid_param, 0, "after must be the 'next' of another answer"});
  }
  json::array list;
  size_t bytes = 0;
  json::value next = nullptr;
  const session::Session* last = nullptr;
  for (const session::Session* each : call->context().sessions.all()) {
    if (after && place_of(*each) <= *after) continue;
    json::object about = describe(*each, Detail::brief);
    bytes += json::serialize(about).size();
    if (last != nullptr && (list.size() == limit || bytes > kMostPage)) {
      const auto [created_at, id] = place_of(*last);
      next = fmt::format("{}-{}", created_at, id);
      break;
    }
    list.push_back(std::move(about));
    last = each;
  }
  call->finish(json::object{{"sessions", std::move(list)}, {"next", std::move(next)}});
}

void get_session(const CallPtr& call) {
  if (const session::Session* found = call->session()) call->finish(describe(*found));
}

void kill_session(const CallPtr& call) {
  session::Session* found = call->session();
  if (found == nullptr) return;
  if (found->ended()) {
    call->audit().summary = "forgotten";
    call->context().sessions.forget(found->id());
    return call->finish(json::object{{"survivors", 0}, {"forgotten", true}});
  }
  found->kill(grace_of(*call), [call](const Result<uint32_t>& gone) {
    if (!gone) return call->fail(gone.error());
    call->finish(json::object{{"survivors", *gone}, {"forgotten", false}});
  });
}

void restart(const CallPtr& call) {
  const session::Pty* pty = call->pty();
  if (pty == nullptr) return;
  const auto found = call->context().sessions.find(call->audit().session);
  (*found)->restart(pty->number(), [call](const Result<void>& done) {
    if (!done) return call->fail(done.error());
    const auto again = call->context().sessions.find(call->audit().session);
    call->finish(again ? json::value(describe(**again)) : json::value(nullptr));
  });
}

void spawn(const CallPtr& call) {
  if (!wire::text(call->params(), "session")) return create_session(call);
  session::Session* found = call->session();
  if (found == nullptr) return;
  session::SpawnRequest request{.command = command_of(*call),
                                .size = size_of(*call, {found->settings().cols, found->settings().rows})};
  if (request.command.cwd.empty()) request.command.cwd = found->record().cwd;
  call->audit().command = join(request.command.argv);
  found->spawn(std::move(request), [call](const Result<uint32_t>& number) {
    if (!number) return call->fail(number.error());
    call->audit().pty = *number;
    const auto session = call->context().sessions.find(call->audit().session);
    const session::Pty* pty = session ? (*session)->pty(*number) : nullptr;
    if (pty == nullptr) return call->fail({Code::pty_spawn_failed, 0, "the session has gone"});
    json::object result = describe(**session, *pty, Detail::brief);
    result["session"] = (*session)->id();
    result["session_id"] = (*session)->id();
    result["name"] = (*session)->name();
    call->finish(std::move(result));
  });
}

void kill_pty(const CallPtr& call) {
  const session::Pty* pty = call->pty();
  if (pty == nullptr) return;
  const auto found = call->context().sessions.find(call->audit().session);
  (*found)->kill_pty(pty->number(), grace_of(*call), [call](const Result<uint32_t>& gone) {
    if (!gone) return call->fail(gone.error());
    call->finish(json::object{{"survivors", *gone}});
  });
}

void list_ptys(const CallPtr& call) {
  std::vector<session::Session*> sessions = call->context().sessions.all();
  if (wire::text(call->params(), "session")) {
    session::Session* found = call->session();
    if (found == nullptr) return;
    sessions = {found};
  }
  json::array list;
  for (const session::Session* each : sessions) {
    for (const auto& [number, pty] : each->ptys()) {
      json::object object = describe(*each, *pty, Detail::brief);
      object["session"] = each->id();
      object["name"] = each->name();
      list.push_back(std::move(object));
    }
  }
  call->finish(std::move(list));
}

// NAME, ID, NAME:N.
void resolve(const CallPtr& call) {
  const std::string target = wire::text(call->params(), "target").value_or("");
  const size_t colon = target.rfind(':');
  auto found = call->context().sessions.find(target.substr(0, colon));
  if (!found) return call->fail(found.error());
  const auto number = colon == std::string::npos
                          ? std::optional<uint32_t>((*found)->agent_number())
                          : base::parse_number<uint32_t>(target.substr(colon + 1), 0, 63);
  const session::Pty* pty = number ? (*found)->pty(*number) : nullptr;
  if (pty == nullptr) {
    if (number) return call->fail((*found)->lacks(*number));
    return call->fail(
        {Code::pty_session_not_found, 0, fmt::format("session '{}' has no such PTY", (*found)->name())});
  }
  call->finish(json::object{{"session", (*found)->id()},
                            {"name", (*found)->name()},
                            {"pty", pty->number()},
                            {"state", session::state_name(pty->state())}});
}

}  // namespace host
