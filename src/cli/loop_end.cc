// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_end.h"

#include <cstdio>
#include <fmt/format.h>

#include "cli/human.h"
#include "cli/loop_wait.h"
#include "cli/output.h"
#include "cli/report.h"
#include "loop/record.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::fail;
using base::Result;
namespace json = wire::json;

// The runner ends the agent within five seconds, then the keeper ends what is left within five more.
constexpr std::chrono::seconds kEnding{60};

}  // namespace

std::optional<json::object> ended_record(const std::string& folder) {
  auto newest = loop::read_events(folder, 1);
  if (!newest || newest->empty() || wire::text(newest->back(), "kind") != "ended") return {};
  return newest->back();
}

Result<int> conclude_loop(wire::Client& client, const std::string& session, const std::string& folder,
                          Summary summary) {
  std::optional<json::object> runner;
  auto waited = wait_for_loop(client, session, kEnding, nullptr, [&](const json::object* now) {
    if (now == nullptr) return true;
    if (const json::object* pty = pty_of(*now, 0)) runner = *pty;
    return has_ended(*now);
  });
  if (!waited) return fail(waited);
  if (const auto ended = ended_record(folder)) {
    if (summary == Summary::wanted) {
      const int printed = print("\n" + harmless_lines(wire::text(*ended, "summary").value_or("")));
      if (printed != kDone) return printed;
    }
    return static_cast<int>(wire::integer(*ended, "exit_code").value_or(kFailed));
  }
  const std::string how = runner ? how_it_ended(*runner) : "";
  fmt::print(stderr, "tend: the loop is over without an end of its own: its runner {}\n",
             how.empty() ? "has gone" : how);
  return runner ? static_cast<int>(wire::integer(*runner, "exit_code").value_or(kFailed)) : kFailed;
}

}  // namespace cli
