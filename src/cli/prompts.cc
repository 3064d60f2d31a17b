// SPDX-License-Identifier: Apache-2.0
#include "cli/prompts.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::fail;
using base::Result;
namespace json = wire::json;

constexpr size_t kMostQuestion = 60;
constexpr size_t kMostChoices = 40;
constexpr size_t kMostText = 400;

std::string text_of(const json::object& object, std::string_view name) {
  return wire::text(object, name).value_or("");
}

double confidence_of(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_number() ? found->to_number<double>() : 0;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string choices_of(const json::object& prompt) {
  std::string line;
  for (const json::value& each : prompt.at("choices").as_array()) {
    const json::object& choice = each.as_object();
    const std::string key = text_of(choice, "key");
    const std::string label = text_of(choice, "label");
    if (!line.empty()) line += ", ";
    line += key.empty() || key == label ? label : fmt::format("{}={}", key, label);
  }
  return line;
}

// What the kernel showed, as a sentence.
std::string evidence_of(const json::object& evidence) {
  const std::string verdict = text_of(evidence, "verdict");
  const std::string call = text_of(evidence, "call");
  std::string line = verdict;
  const auto reader = wire::integer(evidence, "reader");
  if (reader)
    line += fmt::format(": {} ({}) is blocked in {}", text_of(evidence, "command"), *reader, call);
  else if (const std::string command = text_of(evidence, "command"); !command.empty())
    line += fmt::format(": {} is in the foreground", command);
  if (const auto timeout = wire::integer(evidence, "timeout_ms"))
    line += fmt::format(" with a timeout of {} ms", *timeout);
  const auto count = [&](std::string_view name, std::string_view text) {
    if (const auto n = wire::integer(evidence, name); n && *n > 0) line += fmt::format(", {} {}", *n, text);
  };
  count("sockets", "sockets");
  count("requests", "requests in flight");
  count("pipes", "pipes");
  count("unread", "bytes unread");
  count("refused", "threads that may not be looked into");
  if (wire::flag(evidence, "shell")) line += ", a shell";
  if (wire::flag(evidence, "relayed")) line += ", behind a relay";
  const bool canonical = wire::flag(evidence, "canonical");
  line += canonical ? wire::flag(evidence, "echo") ? "; lines, shown" : "; lines, hidden" : "; single keys";
  return line;
}

// What became of it, and by whom.
std::string state_line(const json::object& prompt) {
  std::string line = text_of(prompt, "state");
  if (const std::string outcome = text_of(prompt, "outcome"); !outcome.empty()) line += ", " + outcome;
  if (const std::string by = text_of(prompt, "by"); !by.empty())
    line += fmt::format(" by {} ({})", by, text_of(prompt, "channel"));
  return line;
}

// Of open prompts the default is of interest, of all of them what became of each.
enum class States { hidden, shown };

std::string table_of(const json::array& list, States states) {
  const bool shown = states == States::shown;
  Table table({"SESSION", "TYPE", "QUESTION", "CHOICES", shown ? "STATE" : "DEFAULT", "AGE", "ID"});
  for (const json::value& each : list) {
    const json::object& prompt = each.as_object();
    const auto asked = parse_time(text_of(prompt, "asked_at"));
    const int64_t number = wire::integer(prompt, "pty").value_or(0);
    table.add({{number == 0 ? text_of(prompt, "name") : fmt::format("{}:{}", text_of(prompt, "name"), number),
                Tone::strong},
               {text_of(prompt, "type") + (wire::flag(prompt, "secret") ? ", secret" : "")},
               {clip(one_line(text_of(prompt, "question")), kMostQuestion), Tone::busy},
               {clip(choices_of(prompt), kMostChoices)},
               {clip(shown ? state_line(prompt) : text_of(prompt, "default"), kMostChoices)},
               {asked ? ago(*asked, base::RealClock().wall()) : ""},
               {text_of(prompt, "id"), Tone::faint}});
  }
  return table.text();
}

Result<int> show_prompts(const PromptsOptions& options) {
  auto target = parse_target(options.session);
  if (!target) return fail(target);
  auto client = reach_daemon();
  if (!client) return fail(client);
  json::object params;
  if (!target->session.empty()) params["session"] = target->session;
  if (options.all) params["state"] = "all";
  auto list = client->call("prompt.list", std::move(params));
  if (!list) return fail(list);
  json::array& all = list->as_array();
  if (target->pty) {
    json::array some;
    for (json::value& each : all)
      if (wire::integer(each.as_object(), "pty") == static_cast<int64_t>(*target->pty))
        some.push_back(std::move(each));
    all = std::move(some);
  }
  if (options.json) return print_json(*list);
  if (all.empty()) {
    fmt::print(stderr, "{}\n", options.all ? "there are no prompts" : "nothing waits for you");
    return kDone;
  }
  if (!options.explain) return print(table_of(all, options.all ? States::shown : States::hidden));
  std::string text;
  for (const json::value& each : all) {
    const json::object& prompt = each.as_object();
    text += fmt::format("{}:{}  {}\n", toned(text_of(prompt, "name"), Tone::strong),
                        wire::integer(prompt, "pty").value_or(0),
                        base::printable(question_line(prompt), kMostText));
    text += explain(prompt.at("why").as_object(), "  ");
  }
  return print(text);
}

Result<int> show_prompt(const ExplainOptions& options) {
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto found = client->call("prompt.get", {{"prompt_id", options.prompt}});
  if (!found) return fail(found);
  if (options.json) return print_json(*found);
  const json::object& prompt = found->as_object();
  const std::string rule = text_of(prompt, "rule");
  std::string text = fmt::format("{}:{}  {}\n", toned(text_of(prompt, "name"), Tone::strong),
                                 wire::integer(prompt, "pty").value_or(0),
                                 base::printable(question_line(prompt), kMostText));
  text += fmt::format("  {}\n  rule: {}\n", base::printable(state_line(prompt), kMostText),
                      rule.empty() ? "none; a person is asked" : rule);
  if (const json::value* why = prompt.if_contains("why"); why != nullptr && why->is_object())
    text += explain(why->as_object(), "  ");
  return print(text);
}

}  // namespace

std::string question_line(const json::object& prompt) {
  std::string line = one_line(text_of(prompt, "question"));
  if (line.empty()) line = "(it waits, and the question is not known)";
  if (const std::string choices = choices_of(prompt); !choices.empty()) line += fmt::format(" [{}]", choices);
  if (wire::flag(prompt, "secret")) line += " (secret)";
  return line;
}

std::string explain(const json::object& why, std::string_view indent) {
  const json::object& signals = why.at("signals").as_object();
  std::string text = fmt::format("{}{}: {}\n", indent, text_of(why, "state"),
                                 base::printable(text_of(why, "rule"), kMostText));
  const auto line = [&](std::string_view name, std::string_view signal, const std::string& what) {
    const double confidence = confidence_of(signals, signal);
    text += fmt::format("{}  {:<8} {}  {}\n", indent, name,
                        confidence > 0 ? fmt::format("{:.2f}", confidence) : "-   ",
                        base::printable(what, kMostText));
  };
  if (const json::value& evidence = why.at("evidence"); evidence.is_object())
    line("kernel", "kernel", evidence_of(evidence.as_object()));
  std::string matches;
  for (const json::value& each : why.at("matches").as_array()) {
    const json::object& match = each.as_object();
    matches += fmt::format("{}{} ({} {:.2f})", matches.empty() ? "" : ", ", text_of(match, "name"),
                           text_of(match, "type"), confidence_of(match, "confidence"));
  }
  if (!matches.empty()) line("pattern", "pattern", matches);
  line("time", "time",
       fmt::format("{} ms without a byte when the kernel was asked",
                   wire::integer(why, "quiet_ms").value_or(0)));
  return text;
}

int prompts(const PromptsOptions& options) { return finish(show_prompts(options)); }

int explain_prompt(const ExplainOptions& options) { return finish(show_prompt(options)); }

}  // namespace cli
