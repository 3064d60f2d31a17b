// SPDX-License-Identifier: Apache-2.0
#include "cli/corpus_command.h"

#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>

#include "cli/report.h"
#include "lab/corpus.h"

namespace cli {
namespace {

namespace json = boost::json;

json::object to_json(const lab::Figures& figures) {
  json::array types;
  for (const lab::TypeFigures& each : figures.types)
    types.push_back({{"type", each.type},
                     {"cases", each.cases},
                     {"found", each.found},
                     {"right", each.right},
                     {"median_ms", each.median_ms},
                     {"worst_ms", each.worst_ms}});
  return {{"cases", figures.cases},
          {"right", figures.right},
          {"failed", figures.failed},
          {"not_here", figures.missing},
          {"waiting", figures.waiting},
          {"not_waiting", figures.others},
          {"false_events", figures.alarms},
          {"recall", figures.recall()},
          {"precision", figures.precision()},
          {"stall_recall", figures.stall_recall()},
          {"stall_precision", figures.stall_precision()},
          {"types", std::move(types)}};
}

json::object to_json(const lab::FirstRuns& runs) {
  return {{"cases", runs.cases},     {"right", runs.right},     {"wrong", runs.wrong},
          {"missed", runs.missed},   {"alarms", runs.alarms},   {"mistaken", runs.mistaken},
          {"waiting", runs.waiting}, {"recall", runs.recall()}, {"precision", runs.precision()}};
}

json::object to_json(const lab::CorpusResult& result) {
  const lab::Judgement& judgement = result.judgement;
  json::object out{{"name", result.what.name},
                   {"first", result.what.first},
                   {"truth", std::string(name_of(result.what.truth.state))},
                   {"right", result.right()}};
  if (!result.missing.empty()) out["not_here"] = result.missing;
  if (!result.failed.empty()) out["failed"] = result.failed;
  if (!result.counts()) return out;
  out["state"] = std::string(name_of(judgement.state));
  out["rule"] = judgement.rule;
  out["stall_rule"] = judgement.stall_rule;
  if (!judgement.wrong.empty()) out["wrong"] = judgement.wrong;
  if (judgement.latency)
    out["latency_ms"] = std::chrono::duration<double, std::milli>(*judgement.latency).count();
  if (judgement.asked) {
    out["type"] = std::string(name_of(judgement.asked->prompt.type));
    out["question"] = judgement.asked->prompt.question;
    out["confidence"] = judgement.asked->confidence;
    out["routed"] = judgement.routed;
  }
  return out;
}

void print_all(const CorpusCommand& command, const std::vector<lab::CorpusResult>& results) {
  if (command.json) {
    json::array programs;
    for (const lab::CorpusResult& each : results) programs.push_back(to_json(each));
    const json::object all{{"programs", std::move(programs)},
                           {"all", to_json(lab::add_up(results))},
                           {"first_runs", to_json(lab::add_up_first_runs(results))}};
    fmt::print("{}\n", json::serialize(all));
    return;
  }
  if (command.markdown) {
    fmt::print("{}", lab::markdown_of(results));
    return;
  }
  fmt::print("\n{}", lab::text_of(lab::add_up(results)));
  fmt::print("{}", lab::text_of(lab::add_up_first_runs(results)));
}

}  // namespace

int lab_corpus(const CorpusCommand& command) {
  const bool quiet = command.json || command.markdown;
  const auto results = lab::run_corpus({.folder = command.folder,
                                        .only = command.only,
                                        .live = command.live || command.record,
                                        .record = command.record},
                                       [&](const lab::CorpusResult& each) {
                                         // Long runs show where they are, also beside a report that is kept.
                                         fmt::print(quiet ? stderr : stdout, "{}\n", lab::line_of(each));
                                         std::fflush(nullptr);
                                       });
  if (!results) return report(results.error());
  print_all(command, *results);
  const lab::Figures figures = lab::add_up(*results);
  return figures.right + figures.missing == figures.cases ? kDone : kFailed;
}

}  // namespace cli
