// SPDX-License-Identifier: Apache-2.0
#include "cli/kill.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <span>

#include "cli/access.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::milliseconds;
namespace json = wire::json;

// The daemon asks politely for five seconds, and then waits for the kernel.
constexpr std::chrono::seconds kDeadline{30};
constexpr size_t kAtOnce = 500;  // the daemon takes no more than 1,000

std::string name_of(const Target& target) {
  return target.pty ? fmt::format("{}:{}", target.session, *target.pty) : target.session;
}

Result<std::vector<Target>> living_sessions(wire::Client& client) {
  auto list = all_sessions(client);
  if (!list) return fail(list);
  std::vector<Target> targets;
  for (const json::value& each : *list) {
    // By id: a name may be taken by another one in the meantime.
    if (each.at("ended_at").is_null())
      targets.push_back({wire::text(each.as_object(), "id").value_or(""), {}});
  }
  return targets;
}

Result<std::vector<Target>> targets_of(const KillOptions& options, wire::Client& client) {
  if (options.all) return living_sessions(client);
  std::vector<Target> targets;
  for (const std::string& each : options.targets) {
    auto target = parse_target(each);
    if (!target) return fail(target);
    const auto same = [&](const Target& other) {
      return other.session == target->session && other.pty == target->pty;
    };
    if (std::none_of(targets.begin(), targets.end(), same)) targets.push_back(std::move(*target));
  }
  return targets;
}

using Answers = std::map<uint64_t, Result<json::value>>;

// One answer for each of the ids, whatever order they come in.
Answers collect(wire::Client& client, const std::map<uint64_t, Target>& asked) {
  Answers answers;
  const base::RealClock clock;
  const base::Moment end = clock.now() + kDeadline;
  base::Error missing{Code::pty_timeout, 0, "the daemon does not answer"};
  while (answers.size() < asked.size()) {
    if (auto flushed = client.flush(); !flushed) missing = flushed.error();
    auto next = client.next();
    if (!next) {
      missing = next.error();
      break;
    }
    if (*next) {
      if (auto* response = std::get_if<wire::Response>(&**next);
          response != nullptr && response->id.is_number())
        answers.emplace(response->id.to_number<uint64_t>(), std::move(response->result));
      continue;
    }
    const auto left = std::chrono::ceil<milliseconds>(end - clock.now()).count();
    if (left <= 0) break;
    pollfd ready{client.fd(), static_cast<short>(POLLIN | (client.waiting_output() > 0 ? POLLOUT : 0)), 0};
    ::poll(&ready, 1, static_cast<int>(left));
  }
  for (const auto& [id, target] : asked) answers.emplace(id, std::unexpected(missing));
  return answers;
}

Result<int> kill_targets(const KillOptions& options) {
  if (options.all != options.targets.empty())
    return fail(
        Code::invalid_param, 0,
        options.all ? "--all is every session: name none beside it" : "which session? Name it, or use --all");
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto targets = targets_of(options, *client);
  if (!targets) return fail(targets);
  std::map<uint64_t, Target> asked;
  Answers answers;
  for (size_t done = 0; done < targets->size(); done += kAtOnce) {
    std::map<uint64_t, Target> now;
    for (const Target& each :
         std::span(*targets).subspan(done).first(std::min(kAtOnce, targets->size() - done))) {
      json::object params = to_params(each);
      params["force"] = options.force;
      now[client->send(each.pty ? "pty.kill" : "session.kill", std::move(params))] = each;
    }
    answers.merge(collect(*client, now));
    asked.merge(now);
  }
  int code = kDone;
  json::array list;
  for (const auto& [id, answer] : answers) {
    const Target& target = asked[id];
    json::object row{{"target", name_of(target)}, {"survivors", nullptr}, {"error", nullptr}};
    if (!answer) {
      const int failed =
          report({answer.error().code, answer.error().sys, name_of(target) + ": " + answer.error().what});
      row["error"] = answer.error().message();
      code = code == kDone ? failed : code;
    } else if (const int64_t survivors = wire::integer(answer->as_object(), "survivors").value_or(0);
               survivors > 0) {
      row["survivors"] = survivors;
      code =
          report({Code::internal, 0,
                  fmt::format("{}: {} process{} would not go, not even by SIGKILL; it is stuck in the kernel",
                              name_of(target), survivors, survivors == 1 ? "" : "es")});
    } else {
      row["survivors"] = 0;
    }
    list.push_back(std::move(row));
  }
  const int printed = options.json ? print_json(list) : kDone;
  return code == kDone ? printed : code;
}

Result<int> restart_target(const RestartOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto session = client->call("session.restart", to_params(*target), kDeadline);
  if (!session) return fail(session);
  return options.json ? print_json(*session) : kDone;
}

}  // namespace

int kill(const KillOptions& options) { return finish(kill_targets(options)); }

int restart(const RestartOptions& options) { return finish(restart_target(options)); }

}  // namespace cli
