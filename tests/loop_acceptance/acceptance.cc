// SPDX-License-Identifier: Apache-2.0
#include "acceptance.h"

#include <fmt/format.h>
#include <sstream>

#include "loop/record.h"
#include "loop/text.h"

namespace acceptance {

using wire::json::object;

Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

void wait_for(Time at) {
  support::wait_until([&] { return now() >= at; });
}

void LoopAcceptance::uses(const std::string& agent, const std::vector<std::string>& args,
                          const std::string& settings) const {
  std::string words;
  for (const std::string& each : args) words += fmt::format("{}'{}'", words.empty() ? "" : ", ", each);
  support::write_file(work_.file("tend.yml"),
                      fmt::format("cli: {{backend: custom, command: {}/{}, args: [{}]}}\n{}\n", AGENTS, agent,
                                  words, settings));
}

void LoopAcceptance::uses_listener(std::vector<std::string> options, const std::string& settings) const {
  options.push_back(work_.file("heard"));
  uses("listens", options, settings);
}

std::vector<Heard> LoopAcceptance::heard() const {
  std::vector<Heard> all;
  std::istringstream lines(read_work("heard"));
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    std::istringstream words(line);
    int64_t at = 0;
    Heard each;
    words >> at >> each.pid;
    words.ignore();
    std::getline(words, each.what);
    each.at = Time(std::chrono::microseconds(at));
    all.push_back(std::move(each));
  }
  return all;
}

std::vector<Heard> LoopAcceptance::heard(std::string_view what) const {
  auto all = heard();
  std::erase_if(all, [&](const Heard& each) { return each.what != what; });
  return all;
}

bool LoopAcceptance::hears(std::string_view what, size_t count) const {
  return support::wait_until([&] { return heard(what).size() >= count; });
}

std::string LoopAcceptance::folder() const {
  const auto all = loop::all_standings(loop::loops_folder(home_.file("state")));
  return all.empty() ? "" : all[0].folder;
}

std::vector<object> LoopAcceptance::events(std::string_view kind) const {
  auto all = loop::read_events(folder()).value_or(std::vector<object>{});
  std::erase_if(all, [&](const object& each) { return wire::text(each, "kind") != kind; });
  return all;
}

bool LoopAcceptance::comes(std::string_view kind, size_t count) const {
  return support::wait_until([&] { return events(kind).size() >= count; });
}

std::string LoopAcceptance::text_of(std::string_view kind, std::string_view field) const {
  const auto all = events(kind);
  return all.empty() ? "" : wire::text(all.back(), field).value_or("");
}

int64_t LoopAcceptance::number_of(std::string_view kind, std::string_view field) const {
  const auto all = events(kind);
  return all.empty() ? -1 : wire::integer(all.back(), field).value_or(-1);
}

Time LoopAcceptance::time_of(const object& event) {
  return Time(
      std::chrono::microseconds(loop::parse_iso_time(wire::text(event, "at").value_or("")).value_or(0)));
}

std::string LoopAcceptance::text(int iteration) const {
  return support::read_file(fmt::format("{}/iteration-{:04}.txt", folder(), iteration));
}

void LoopAcceptance::expect_restored(e2e::Person& person) {
  EXPECT_TRUE(person.terminal().is_sane());
  EXPECT_TRUE(support::same_settings(person.terminal().first_settings(), person.terminal().settings()));
  const vt::Screen& left = person.screen();
  EXPECT_EQ(left.showing(), vt::Which::main);
  EXPECT_TRUE(left.modes()[vt::Mode::cursor_visible]);
  EXPECT_EQ(left.modes(), vt::Modes());
  EXPECT_EQ(left.mouse_protocol(), vt::MouseProtocol::none);
}

bool LoopAcceptance::living(pid_t pid) {
  std::error_code none;
  if (!std::filesystem::exists(fmt::format("/proc/{}/stat", pid), none)) return false;
  const std::string stat = support::read_file(fmt::format("/proc/{}/stat", pid));
  const size_t end = stat.rfind(')');
  return end != std::string::npos && end + 2 < stat.size() && stat[end + 2] != 'Z';
}

int LoopAcceptance::end_of(e2e::Person& person) {
  const auto status = person.terminal().wait_exit();
  EXPECT_TRUE(status) << "the loop does not end:\n" << person.terminal().output();
  return status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
}

}  // namespace acceptance
