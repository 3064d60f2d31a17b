// SPDX-License-Identifier: Apache-2.0
// tend loop ls and tend loop stop.
#include <boost/json/array.hpp>
#include <chrono>
#include <fmt/format.h>

#include "cli/access.h"
#include "cli/human.h"
#include "cli/loop_command.h"
#include "cli/loop_end.h"
#include "cli/loop_find.h"
#include "cli/loop_wait.h"
#include "cli/output.h"
#include "cli/report.h"
#include "loop/text.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

// The runner gives the agent five seconds, and the keeper the rest five more.
constexpr std::chrono::seconds kDeadline{60};

base::WallTime wall_time(int64_t microseconds) {
  return base::WallTime(std::chrono::microseconds(microseconds));
}

Tone tone_of(const KnownLoop& loop) {
  if (loop.runs()) return Tone::busy;
  return loop.standing.exit_code == 0 ? Tone::good : Tone::bad;
}

json::object to_json(const KnownLoop& loop) {
  const loop::Standing& standing = loop.standing;
  json::object row{{"name", loop.name()},
                   {"loop", standing.id},
                   {"session", standing.session},
                   {"state", loop.state()},
                   {"runs", loop.runs()},
                   {"iteration", standing.iteration},
                   {"mode", loop::name_of(standing.mode)},
                   {"backend", standing.backend},
                   {"started_at", loop::iso_time(wall_time(standing.started_at))},
                   {"ended_at", nullptr},
                   {"exit_code", nullptr},
                   {"folder", standing.folder}};
  if (loop.session) row["session"] = wire::text(*loop.session, "id").value_or(standing.session);
  if (standing.ended_at) row["ended_at"] = loop::iso_time(wall_time(*standing.ended_at));
  if (standing.exit_code) row["exit_code"] = *standing.exit_code;
  return row;
}

Result<int> list(const LoopListOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto loops = known_loops(*client);
  if (!loops) return fail(loops);
  if (options.json) {
    json::array rows;
    for (const KnownLoop& each : *loops) rows.push_back(to_json(each));
    return print_json(rows);
  }
  Table table({"NAME", "STATE", "ITERATION", "MODE", "BACKEND", "STARTED", "LOOP"});
  const base::WallTime now = base::RealClock().wall();
  for (const KnownLoop& each : *loops) {
    const loop::Standing& standing = each.standing;
    table.add({{each.name(), Tone::strong},
               {each.state(), tone_of(each)},
               {std::to_string(standing.iteration)},
               {std::string(loop::name_of(standing.mode))},
               {standing.backend},
               {standing.started_at == 0 ? "" : ago(wall_time(standing.started_at), now)},
               {standing.id, Tone::faint}});
  }
  return table.empty() ? kDone : print(table.text());
}

Result<int> stop(const LoopStopOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto found = find_running_loop(*client, options.name);
  if (!found) return fail(found);
  const std::string session = wire::text(*found->session, "id").value_or("");
  json::object params{{"session", session}};
  if (options.force)
    params["force"] = true;
  else
    params["pty"] = 0;
  auto killed = client->call(options.force ? "session.kill" : "pty.kill", std::move(params), kDeadline);
  // It may just have come to its end by itself, or the daemon gone with the answer: how it is now counts.
  if (!killed && killed.error().code != Code::pty_process_exited && killed.error().sys != ECONNRESET)
    return fail(killed);
  auto waited = wait_for_loop(*client, session, kDeadline, nullptr, [&](const json::object* now) {
    if (now != nullptr) found->session = *now;
    return now == nullptr || has_ended(*now);
  });
  if (!waited) return fail(waited);
  if (auto standing = loop::read_standing(found->standing.folder)) found->standing = std::move(*standing);
  if (options.json) return print_json(to_json(*found));
  return print(harmless_lines(
      fmt::format("{}: {} in iteration {}", found->name(), found->state(), found->standing.iteration)));
}

}  // namespace

int list_loops(const LoopListOptions& options) { return finish(list(options)); }

int stop_loop(const LoopStopOptions& options) { return finish(stop(options)); }

}  // namespace cli
