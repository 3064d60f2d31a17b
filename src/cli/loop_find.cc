// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_find.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

#include "base/folders.h"
#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/loop_wait.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

std::string loop_of(const json::object& session) {
  const json::value* labels = session.if_contains("labels");
  return labels != nullptr && labels->is_object() ? wire::text(labels->get_object(), "loop").value_or("")
                                                  : "";
}

std::string phase_of(const json::object& session) {
  const json::value* loop = session.if_contains("loop");
  return loop != nullptr && loop->is_object() ? wire::text(loop->get_object(), "phase").value_or("") : "";
}

struct Phase {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<Phase, 5> kPhases = {{{"starting", "starting"},
                                           {"running", "running"},
                                           {"verifying", "verifying"},
                                           {"waiting", "waiting for the limit"},
                                           {"cooling", "cooling down"}}};

std::string state_of_runner(const std::string& phase) {
  for (const Phase& each : kPhases) {
    if (each.name == phase) return std::string(each.text);
  }
  return phase.empty() ? "starting" : phase == "ended" ? "ending" : phase;
}

}  // namespace

std::string KnownLoop::name() const {
  return session ? wire::text(*session, "name").value_or(standing.name) : standing.name;
}

bool KnownLoop::runs() const { return session && !is_over(*session); }

std::string KnownLoop::state() const {
  if (standing.exit_code) return standing.why;
  if (runs()) {
    const std::string told = phase_of(*session);
    return state_of_runner(told.empty() ? standing.phase : told);
  }
  const json::object* runner = session ? pty_of(*session, 0) : nullptr;
  const std::string how = runner != nullptr ? how_it_ended(*runner) : "";
  // "killed by SIGKILL" says it all.
  return how.starts_with("killed") ? "runner " + how : "runner killed";
}

Result<std::vector<KnownLoop>> known_loops(wire::Client& client) {
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  auto sessions = all_sessions(client);
  if (!sessions) return fail(sessions);
  std::map<std::string, json::object> by_loop;
  for (const json::value& each : *sessions) by_loop[loop_of(each.as_object())] = each.as_object();
  std::vector<KnownLoop> all;
  for (loop::Standing& each : loop::all_standings(loop::loops_folder(folders->state))) {
    KnownLoop known{std::move(each)};
    if (const auto found = by_loop.find(known.standing.id); found != by_loop.end())
      known.session = found->second;
    all.push_back(std::move(known));
  }
  return all;
}

Result<KnownLoop> find_loop(wire::Client& client, const std::string& name) {
  auto all = known_loops(client);
  if (!all) return fail(all);
  const KnownLoop* best = nullptr;
  for (const KnownLoop& each : *all) {
    const bool named = each.name() == name || each.standing.id == name || each.standing.session == name;
    if (named && (best == nullptr || (each.runs() && !best->runs()))) best = &each;
  }
  if (best != nullptr) return *best;
  return fail(Code::pty_session_not_found, 0,
              fmt::format("there is no loop '{}'; tend loop ls lists them", base::printable(name, 80)));
}

Result<KnownLoop> find_running_loop(wire::Client& client, const std::string& name) {
  if (!name.empty()) {
    auto found = find_loop(client, name);
    if (!found || found->runs()) return found;
    return fail(Code::pty_process_exited, 0,
                fmt::format("the loop {} has ended: {}", base::printable(name, 80), found->state()));
  }
  auto all = known_loops(client);
  if (!all) return fail(all);
  std::erase_if(*all, [](const KnownLoop& each) { return !each.runs(); });
  if (all->size() == 1) return all->front();
  if (all->empty()) return fail(Code::pty_session_not_found, 0, "no loop runs; start one with 'tend loop'");
  std::string names;
  for (const KnownLoop& each : *all) names += (names.empty() ? "" : ", ") + each.name();
  return fail(Code::invalid_param, 0, "which loop? There are " + names);
}

}  // namespace cli
