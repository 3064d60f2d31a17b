// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/programs.h"
#include "base/strings.h"
#include "cli/output.h"
#include "cli/report.h"
#include "lab/scenario.h"

namespace cli {
namespace {

namespace json = wire::json;

constexpr size_t kMostText = 1000;

// Signals that want an end are heard here and nowhere else as long as this lives.
class StopSignals {
 public:
  StopSignals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signo : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&wanted, signo);
    ::sigprocmask(SIG_BLOCK, &wanted, &before_);
    file_.reset(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~StopSignals() {
    // One that came is heard: else it would strike when they are let through again.
    (void)take();
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return file_.get(); }
  int take() const {
    signalfd_siginfo about{};
    return ::read(file_.get(), &about, sizeof about) == sizeof about ? static_cast<int>(about.ssi_signo) : 0;
  }

 private:
  sigset_t before_{};
  base::Fd file_;
};

double milliseconds(base::Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

double rounded(double value) { return std::round(value * 1000) / 1000; }

json::object to_json(const lab::Scenario& scenario) {
  return {{"id", scenario.id},
          {"name", scenario.name},
          {"description", scenario.description},
          {"platform", json::array{scenario.platform}}};
}

json::object to_json(const lab::Scenario& scenario, const lab::Outcome& outcome) {
  json::array checks;
  for (const lab::Check& each : outcome.checks)
    checks.push_back(json::object{
        {"name", each.name}, {"expected", each.expected}, {"actual", each.actual}, {"passed", each.passed}});
  json::array figures;
  for (const lab::Figure& each : outcome.figures)
    figures.push_back(json::object{{"name", each.name}, {"value", rounded(each.value)}, {"unit", each.unit}});
  json::array log;
  for (const std::string& each : outcome.log) log.emplace_back(each);
  json::object object = to_json(scenario);
  object["passed"] = outcome.passed();
  object["ms"] = rounded(milliseconds(outcome.took));
  object["checks"] = std::move(checks);
  object["figures"] = std::move(figures);
  object["log"] = std::move(log);
  return object;
}

std::string to_text(const lab::Check& check) {
  const std::string_view word = check.passed ? "ok  " : "FAIL";
  const std::string text = fmt::format("  {} {}", toned(word, check.passed ? Tone::good : Tone::bad),
                                       base::printable(check.name, kMostText));
  if (check.passed)
    return text + fmt::format(": {}\n", toned(base::printable(check.actual, kMostText), Tone::faint));
  return text + fmt::format("\n         expected {}\n         was      {}\n",
                            base::printable(check.expected, kMostText),
                            base::printable(check.actual, kMostText));
}

// The checks that failed, or all there is.
std::string details(const lab::Outcome& outcome, bool all) {
  std::string text;
  for (const lab::Check& each : outcome.checks) {
    if (all || !each.passed) text += to_text(each);
  }
  if (outcome.checks.empty()) text += "  nothing was checked\n";
  if (!all) return text;
  for (const lab::Figure& each : outcome.figures)
    text += fmt::format("  {:.3f} {} {}\n", each.value, each.unit, each.name);
  // The log's own escapes stand as they are.
  for (const std::string& line : outcome.log) text += "  " + toned(line, Tone::faint) + "\n";
  return text;
}

class Run {
 public:
  Run(const LabRunOptions& options, std::string tend)
      : options_(options), tend_(std::move(tend)), live_(::isatty(1) == 1 && !options.json) {}

  int operator()(const std::vector<const lab::Scenario*>& chosen) {
    size_t widest = 0;
    for (const lab::Scenario* each : chosen) widest = std::max(widest, each->name.size());
    for (const lab::Scenario* each : chosen) {
      const std::string head = fmt::format("{}   {:<{}}", each->id, each->name, widest);
      if (live_ && print(head + "   …") != kDone) return kFailed;
      const lab::Outcome outcome = lab::run(*each, {.tend = tend_, .stop = stop_.fd()});
      if (outcome.stopped) return interrupted();
      (outcome.passed() ? passed_ : failed_)++;
      if (tell(*each, head, outcome) != kDone) return kFailed;
    }
    if (options_.json) {
      const int printed =
          print_json(json::object{{"passed", passed_}, {"failed", failed_}, {"scenarios", std::move(all_)}});
      if (printed != kDone) return printed;
    } else if (chosen.size() > 1) {
      const int printed = print(fmt::format("\n{} passed, {} failed.\n", passed_, failed_));
      if (printed != kDone) return printed;
    }
    return failed_ == 0 ? kDone : kFailed;
  }

 private:
  int tell(const lab::Scenario& scenario, const std::string& head, const lab::Outcome& outcome) {
    if (options_.json) {
      all_.push_back(to_json(scenario, outcome));
      return kDone;
    }
    const bool good = outcome.passed();
    std::string text =
        fmt::format("{}{}   {}   {:.0f} ms\n", live_ ? "\r\x1b[K" : "", head,
                    toned(good ? "PASS" : "FAIL", good ? Tone::good : Tone::bad), milliseconds(outcome.took));
    if (options_.verbose || !good) text += details(outcome, options_.verbose);
    return print(text);
  }

  int interrupted() const {
    const int signo = stop_.take();
    if (live_) (void)print("\n");
    fmt::print(stderr, "tend: interrupted\n");
    return signo == SIGINT || signo == 0 ? static_cast<int>(kInterrupted) : 128 + signo;
  }

  const LabRunOptions& options_;
  std::string tend_;
  bool live_;
  StopSignals stop_;
  size_t passed_ = 0;
  size_t failed_ = 0;
  json::array all_;
};

}  // namespace

int list_scenarios(const LabListOptions& options) {
  if (options.json) {
    json::array all;
    for (const lab::Scenario& each : lab::scenarios()) all.push_back(to_json(each));
    return print_json(json::object{{"scenarios", std::move(all)}});
  }
  Table table({"QA ID", "Name", "Platform", "Status"});
  for (const lab::Scenario& each : lab::scenarios())
    table.add(
        {{std::string(each.id)}, {std::string(each.name)}, {std::string(each.platform)}, {"registered"}});
  return print(fmt::format(
      "tend Prompt Lab — Registered Scenarios\n\n{}\n{} scenarios registered. Run with: tend lab run --all\n",
      table.text(), lab::scenarios().size()));
}

int run_scenarios(const LabRunOptions& options) {
  std::vector<const lab::Scenario*> chosen;
  if (options.all && options.scenarios.empty()) {
    for (const lab::Scenario& each : lab::scenarios()) chosen.push_back(&each);
  }
  for (const std::string& each : options.scenarios) {
    chosen.push_back(lab::find_scenario(each));
    if (chosen.back() != nullptr) continue;
    fmt::print(stderr, "tend: there is no scenario '{}'; 'tend lab list' shows them all\n",
               base::printable(each));
    return kBadUsage;
  }
  if (chosen.empty() || (options.all && !options.scenarios.empty())) {
    fmt::print(stderr, "tend: name a scenario, or --all; 'tend lab list' shows them all\n");
    return kBadUsage;
  }
  auto tend = base::find_program("tend");
  if (!tend) return report(tend.error());
  return Run(options, std::move(*tend))(chosen);
}

}  // namespace cli
