// SPDX-License-Identifier: Apache-2.0
#include "daemon/describe.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <ctime>
#include <fmt/format.h>

#include "wire/encoding.h"

namespace host {

namespace json = boost::json;
using session::PtyState;

std::string to_time(int64_t micros) {
  const std::time_t seconds = micros / 1'000'000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, micros % 1'000'000);
}

namespace {

constexpr size_t kMostBusyWith = 200;
constexpr size_t kMostBriefCommand = 4096;

json::array to_array(const std::vector<std::string>& texts, Detail detail) {
  json::array array;
  size_t left = detail == Detail::brief ? kMostBriefCommand : SIZE_MAX;
  for (const std::string& each : texts) {
    if (each.size() > left) {
      array.emplace_back(wire::cut_text(each, left) + "…");
      break;
    }
    left -= each.size();
    array.emplace_back(each);
  }
  return array;
}

// What the agent is doing, in the words of `tend ls`.
std::string_view state_of(const session::Session& session) {
  if (session.ended()) return "exited";
  const session::Pty* agent = session.agent();
  // Its keeper has not told of it yet.
  if (agent == nullptr) return "unknown";
  switch (agent->state()) {
    case PtyState::restarting:
      return "restarting";
    case PtyState::exited:
      // Between two runs it is the runner that works.
      return session.is_loop() ? "working" : "exited";
    case PtyState::dead:
      return "exited";
    case PtyState::running:
      break;
  }
  return detect::name_of(agent->activity());
}

json::value sandbox_of(const session::Session& session) {
  const config::Sandbox& sandbox = session.settings().sandbox;
  if (!sandbox.enabled) return nullptr;
  constexpr std::string_view kNetworks[] = {"host", "none", "proxy"};
  return json::object{{"root", sandbox.root == config::SandboxRoot::overlay ? "overlay" : "readonly"},
                      {"network", kNetworks[static_cast<size_t>(sandbox.network)]},
                      {"missing", to_array(session.sandbox_missing(), Detail::whole)}};
}

json::object loop_of(const session::LoopReport& report) {
  return {{"mode", report.mode}, {"iteration", report.iteration}, {"phase", report.phase}};
}

}  // namespace

json::value prompt_of(const session::Session& session, const session::Pty* pty) {
  const auto* question =
      pty != nullptr && pty->attention().question() ? &*pty->attention().question() : nullptr;
  if (question == nullptr || question->state == session::Question::State::cancelled) return nullptr;
  return describe(session.record(*pty, *question), Detail::brief);
}

json::object describe(const session::Session& session, const session::Pty& pty, Detail detail) {
  json::object object{{"id", pty.number()},
                      {"pid", pty.pid() != 0 ? json::value(pty.pid()) : json::value(nullptr)},
                      {"state", session::state_name(pty.state())},
                      {"activity", detect::name_of(pty.activity())},
                      {"prompt", prompt_of(session, &pty)},
                      {"busy_with", nullptr},
                      {"exit_code", nullptr},
                      {"signal", nullptr},
                      {"cols", pty.size().cols},
                      {"rows", pty.size().rows},
                      {"clients", pty.viewers()},
                      {"typed_ms", nullptr},
                      {"command", to_array(pty.about().argv, detail)},
                      {"cwd", pty.about().cwd},
                      {"restarts", pty.about().restarts},
                      {"started_at", to_time(pty.about().spawned_at.time_since_epoch().count())},
                      {"title", pty.title()}};
  if (pty.exit()) {
    object["exit_code"] = pty.exit()->code;
    if (pty.exit()->signal != 0) object["signal"] = pty.exit()->signal;
  }
  if (pty.last_input()) {
    const auto ago = base::RealClock().now() - *pty.last_input();
    object["typed_ms"] = std::chrono::duration_cast<std::chrono::milliseconds>(ago).count();
  }
  if (const std::string* command = pty.runs().busy_with())
    object["busy_with"] = wire::cut_text(*command, kMostBusyWith);
  if (detail == Detail::whole) object["why"] = describe(pty.attention().why());
  const auto window = pty.journal().window();
  object["output"] =
      json::object{{"begin", window.begin}, {"end", window.end}, {"lost_bytes", pty.journal().lost()}};
  return object;
}

json::object describe(const session::Session& session, Detail detail) {
  const store::SessionRecord& record = session.record();
  json::array ptys;
  json::array command;
  for (const auto& [number, each] : session.ptys()) {
    ptys.push_back(describe(session, *each, detail));
    if (number == session.agent_number()) command = to_array(each->about().argv, detail);
  }
  json::object labels;
  for (const auto& [name, value] : record.labels) labels[name] = value;
  const session::Pty* agent = session.agent();
  json::object object{{"id", record.id},
                      {"session_id", record.id},
                      {"name", record.name},
                      {"state", state_of(session)},
                      {"cwd", record.cwd},
                      {"command", std::move(command)},
                      {"shell", ""},
                      {"created_at", to_time(record.created_at)},
                      {"ended_at", nullptr},
                      {"owner", record.owner},
                      {"labels", std::move(labels)},
                      {"auto_restart", session.settings().auto_restart},
                      {"backing_off", session.backing_off()},
                      {"loop", nullptr},
                      {"sandbox", sandbox_of(session)},
                      {"ptys", std::move(ptys)},
                      {"prompt", prompt_of(session, agent)}};
  if (session.loop_report()) object["loop"] = loop_of(*session.loop_report());
  if (record.ended_at) object["ended_at"] = to_time(*record.ended_at);
  if (agent != nullptr) {
    if (!agent->about().argv.empty()) object["shell"] = agent->about().argv[0];
    object["cols"] = agent->size().cols;
    object["rows"] = agent->size().rows;
  }
  return object;
}

json::object describe(const session::Event& event) {
  json::object object{{"number", event.number},
                      {"at", to_time(event.at)},
                      {"kind", event.kind},
                      {"session", event.session},
                      {"name", event.name}};
  if (event.pty) object["pty"] = *event.pty;
  if (event.exit) {
    object["exit_code"] = event.exit->code;
    object["signal"] = event.exit->signal != 0 ? json::value(event.exit->signal) : json::value(nullptr);
  }
  if (event.delay_ms) object["delay_ms"] = *event.delay_ms;
  if (!event.state.empty()) object["state"] = event.state;
  if (!event.prompt.empty()) {
    object["prompt"] = event.prompt;
    object["type"] = event.type;
    object["question"] = event.question;
    if (!event.outcome.empty()) object["outcome"] = event.outcome;
    if (!event.rule.empty()) object["rule"] = event.rule;
    if (!event.by.empty()) object["by"] = event.by;
  }
  if (event.loop) object["loop"] = loop_of(*event.loop);
  if (!event.message.empty()) {
    object["message"] = event.message;
    object["thread"] = event.thread;
    object["from"] = event.from;
    object["to"] = event.to;
    object["subject"] = event.subject;
    if (!event.by.empty()) object["by"] = event.by;
  }
  return object;
}

json::object describe(const session::Attached& attached, const session::Session& session,
                      const session::Pty& pty) {
  return {
      {"session", session.id()},
      {"name", session.name()},
      {"pty", pty.number()},
      {"state", session::state_name(pty.state())},
      {"journal", pty.base_path() + ".journal"},
      {"offset", attached.offset},
      {"snapshot_bytes", attached.snapshot ? json::value(attached.snapshot->size()) : json::value(nullptr)},
      {"cols", attached.size.cols},
      {"rows", attached.size.rows}};
}

}  // namespace host
