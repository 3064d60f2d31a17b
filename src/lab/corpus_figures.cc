// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/strings.h"
#include "lab/corpus.h"

namespace lab {
namespace {

using detect::State;

double share(size_t part, size_t whole) {
  return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

double milliseconds_of(base::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string truth_of(const CorpusResult& result) {
  const Truth& truth = result.what.truth;
  if (truth.state != State::waiting) return std::string(name_of(truth.state));
  return std::string(name_of(truth.types.front()));
}

std::string verdict_of(const CorpusResult& result) {
  if (!result.missing.empty()) return "not here";
  if (!result.failed.empty()) return "failed";
  const Judgement& judgement = result.judgement;
  if (judgement.asked) return std::string(name_of(judgement.asked->prompt.type));
  return std::string(name_of(judgement.state));
}

std::string latency_of(const CorpusResult& result) {
  const auto& latency = result.judgement.latency;
  if (!result.counts() || !latency) return "";
  return fmt::format("{:.1f}", milliseconds_of(*latency));
}

std::string remark_of(const CorpusResult& result) {
  if (!result.missing.empty()) return "needs " + result.missing;
  if (!result.failed.empty()) return base::printable(result.failed, 400);
  return base::printable(result.judgement.wrong, 400);
}

}  // namespace

double Figures::recall() const { return share(found, waiting); }
double Figures::precision() const { return share(found, found + alarms); }
double FirstRuns::recall() const { return share(waiting - missed, waiting); }
double FirstRuns::precision() const { return share(waiting - missed, waiting - missed + alarms); }
double Figures::stall_recall() const { return share(stall_found, waiting); }
double Figures::stall_precision() const { return share(stall_found, stall_found + stall_alarms); }

Figures add_up(const std::vector<CorpusResult>& results) {
  Figures figures;
  std::map<std::string, std::vector<double>> latencies;
  std::map<std::string, TypeFigures> types;
  for (const CorpusResult& each : results) {
    figures.cases++;
    figures.missing += each.missing.empty() ? 0 : 1;
    figures.failed += each.failed.empty() ? 0 : 1;
    figures.right += each.right() ? 1 : 0;
    if (!each.counts()) continue;
    const Judgement& judgement = each.judgement;
    if (each.what.truth.state != State::waiting) {
      figures.others++;
      figures.alarms += judgement.event ? 1 : 0;
      figures.stall_alarms += judgement.stall_rule ? 1 : 0;
      continue;
    }
    const bool found = judgement.event && judgement.routed && judgement.state == State::waiting;
    figures.waiting++;
    figures.found += found ? 1 : 0;
    figures.told_right += each.right() ? 1 : 0;
    figures.stall_found += judgement.stall_rule ? 1 : 0;
    const std::string type = truth_of(each);
    TypeFigures& of_type = types[type];
    of_type.type = type;
    of_type.cases++;
    of_type.found += found ? 1 : 0;
    of_type.right += each.right() ? 1 : 0;
    if (judgement.latency) latencies[type].push_back(milliseconds_of(*judgement.latency));
  }
  for (auto& [type, of_type] : types) {
    auto& times = latencies[type];
    std::sort(times.begin(), times.end());
    if (!times.empty()) {
      of_type.median_ms = times[times.size() / 2];
      of_type.worst_ms = times.back();
    }
    figures.types.push_back(of_type);
  }
  return figures;
}

FirstRuns add_up_first_runs(const std::vector<CorpusResult>& results) {
  FirstRuns runs;
  for (const CorpusResult& each : results) {
    const std::string& first = each.what.first;
    if (first.empty()) continue;
    runs.cases++;
    if (first.starts_with("mistaken")) {
      runs.mistaken++;
      continue;
    }
    runs.right += first == "right" ? 1 : 0;
    runs.wrong += first.starts_with("wrong") ? 1 : 0;
    runs.missed += first.starts_with("missed") ? 1 : 0;
    runs.alarms += first.starts_with("alarm") ? 1 : 0;
    runs.waiting += each.what.truth.state == State::waiting ? 1 : 0;
  }
  return runs;
}

std::string text_of(const FirstRuns& runs) {
  if (runs.cases == 0) return {};
  return fmt::format(
      "{} of them were unseen: at their first run {} right, {} found but not told right, {} missed, {} false "
      "events,\n"
      "  {} where the truth was mistaken; recall {:.3f}, precision {:.3f}\n",
      runs.cases, runs.right, runs.wrong, runs.missed, runs.alarms, runs.mistaken, runs.recall(),
      runs.precision());
}

std::string line_of(const CorpusResult& result) {
  const std::string_view mark = !result.missing.empty() ? "–" : result.right() ? "✓" : "✗";
  return fmt::format("{} {:<32} {:<16} {:<16} {:>8}  {}", mark, result.what.name, truth_of(result),
                     verdict_of(result), latency_of(result), remark_of(result));
}

std::string text_of(const Figures& figures) {
  std::string out = fmt::format(
      "{} programs: {} right, {} failed, {} not here\n"
      "  waiting      {:>3}   recall    {:.3f}   (300 ms without output: {:.3f})\n"
      "  not waiting  {:>3}   precision {:.3f}   (300 ms without output: {:.3f})\n",
      figures.cases, figures.right, figures.failed, figures.missing, figures.waiting, figures.recall(),
      figures.stall_recall(), figures.others, figures.precision(), figures.stall_precision());
  for (const TypeFigures& each : figures.types)
    out += fmt::format("  {:<16} {:>3} found {:>3}, told right {:>3}; {:.1f} ms median, {:.1f} ms worst\n",
                       each.type, each.cases, each.found, each.right, each.median_ms, each.worst_ms);
  return out;
}

std::string markdown_of(const std::vector<CorpusResult>& results) {
  std::string out =
      "# The corpus, measured\n\n"
      "Written by `tend lab corpus tests/corpus/detect --live --markdown`; what stands in it is told in\n"
      "`tests/corpus/detect/README.md`. Latency is from the last byte that moved to the event. One "
      "column is what\n"
      "\"300 ms without output\" would have said of the same run.\n\n"
      "| | programs | waiting | recall | precision | told right |\n"
      "|---|---|---|---|---|---|\n";
  const Figures figures = add_up(results);
  const FirstRuns first = add_up_first_runs(results);
  const size_t run = figures.cases - figures.missing;
  out += fmt::format("| today | {} | {} | {:.3f} | {:.3f} | {} |\n", run, figures.waiting, figures.recall(),
                     figures.precision(), figures.right);
  out += fmt::format("| 300 ms without output | {} | {} | {:.3f} | {:.3f} | |\n", run, figures.waiting,
                     figures.stall_recall(), figures.stall_precision());
  out += fmt::format("| first runs of unseen programs | {} | {} | {:.3f} | {:.3f} | {} |\n",
                     first.cases - first.mistaken, first.waiting, first.recall(), first.precision(),
                     first.right);
  out += fmt::format("\n{} more were run unseen with a truth that was mistaken, and are not counted there.\n",
                     first.mistaken);
  out += "\n| type | programs | found | told right | median ms | worst ms |\n|---|---|---|---|---|---|\n";
  for (const TypeFigures& each : add_up(results).types)
    out += fmt::format("| {} | {} | {} | {} | {:.1f} | {:.1f} |\n", each.type, each.cases, each.found,
                       each.right, each.median_ms, each.worst_ms);
  out +=
      "\n| program | truth | verdict | latency ms | right | 300 ms without output | first run, if unseen "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const CorpusResult& each : results) {
    const std::string stall =
        !each.counts() ? ""
                       : fmt::format("{}{}", each.judgement.stall_rule ? "waiting" : "not waiting",
                                     each.judgement.stall_rule_right(each.what.truth) ? "" : ", wrong");
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", each.what.name, truth_of(each),
                       verdict_of(each), latency_of(each),
                       each.right()           ? "yes"
                       : each.missing.empty() ? "no: " + remark_of(each)
                                              : "",
                       stall, each.what.first);
  }
  return out;
}

}  // namespace lab
