// SPDX-License-Identifier: Apache-2.0
#include "loop_fixture.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/ids.h"
#include "config/load.h"
#include "config/show.h"
#include "loop/record.h"
#include "wire/params.h"

namespace loop_test {
namespace {

json::array own_environment() {
  json::array env;
  for (char** each = environ; *each != nullptr; each++) env.emplace_back(*each);
  return env;
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& each : list)
    text += (text.empty() ? "" : ",") + json::serialize(json::string(each));
  return "[" + text + "]";
}

}  // namespace

void LoopTest::start(const LoopStart& how) {
  const std::string program = how.agent.starts_with('/') ? how.agent : std::string(AGENTS) + "/" + how.agent;
  config::Sources sources{.assignments = {"cli.backend=custom", "cli.command=" + program,
                                          "cli.args=" + words(how.args), "event_loop.max_iterations=3"}};
  if (!how.prompt.empty()) sources.assignments.push_back("event_loop.prompt=" + how.prompt);
  sources.assignments.insert(sources.assignments.end(), how.settings.begin(), how.settings.end());
  const auto loaded = config::load(sources);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const loop::Plan plan{
      .id = base::new_id(), .cwd = home_.path(), .mode = how.mode, .settings = config::show_changes(*loaded)};
  const auto folder = loop::create_folder(loop::loops_folder(home_.file("state")), plan);
  ASSERT_TRUE(folder) << folder.error().message();
  folder_ = *folder;
  host_test::Peer asker = peer();
  const json::value made = asker.ok("session.create", {{"command", {TEND, "loop", "runner", folder_}},
                                                       {"cwd", home_.path()},
                                                       {"env", own_environment()},
                                                       {"loop", plan.id}});
  session_ = std::string(made.at("id").as_string());
}

int LoopTest::finish() {
  if (!comes("ended")) {
    host_test::Peer asker = peer();
    ADD_FAILURE() << "the loop does not end:\n"
                  << support::read_file(folder_ + "/events.jsonl") << output(asker, session_, 0);
    return -1;
  }
  return static_cast<int>(number_of("ended", "exit_code"));
}

std::vector<json::object> LoopTest::events(std::string_view kind) const {
  auto all = loop::read_events(folder_).value_or(std::vector<json::object>{});
  std::erase_if(all, [&](const json::object& each) { return wire::text(each, "kind") != kind; });
  return all;
}

bool LoopTest::comes(std::string_view kind, size_t count) const {
  return support::wait_until([&] { return events(kind).size() >= count; });
}

std::string LoopTest::text_of(std::string_view kind, std::string_view field) const {
  const auto all = events(kind);
  return all.empty() ? "" : wire::text(all.back(), field).value_or("");
}

int64_t LoopTest::number_of(std::string_view kind, std::string_view field) const {
  const auto all = events(kind);
  return all.empty() ? -1 : wire::integer(all.back(), field).value_or(-1);
}

std::string LoopTest::text(int iteration) const {
  return support::read_file(fmt::format("{}/iteration-{:04}.txt", folder_, iteration));
}

pid_t LoopTest::pid_of(int pty) {
  host_test::Peer asker = peer();
  const json::value about = session(asker, session_);
  for (const json::value& each : about.at("ptys").as_array()) {
    if (each.at("id").to_number<int>() == pty && !each.at("pid").is_null())
      return each.at("pid").to_number<pid_t>();
  }
  return 0;
}

bool LoopTest::living(pid_t pid) const {
  const std::string stat = support::read_file(fmt::format("/proc/{}/stat", pid));
  const size_t end = stat.rfind(')');
  return end != std::string::npos && end + 2 < stat.size() && stat[end + 2] != 'Z';
}

std::string LoopTest::write(const std::string& name, const std::string& text) const {
  support::write_file(home_.file(name), text);
  return home_.file(name);
}

}  // namespace loop_test
