// SPDX-License-Identifier: Apache-2.0
#include "session/prompt_record.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cmath>

#include "store/json.h"

namespace session {

namespace json = boost::json;

namespace {

// 0.9 and not 0.90000000000000002.
double rounded(double confidence) { return std::round(confidence * 100) / 100; }

json::array to_json(const std::vector<detect::Match>& matches) {
  json::array array;
  for (const detect::Match& each : matches)
    array.push_back(json::object{
        {"name", each.name}, {"type", detect::name_of(each.type)}, {"confidence", rounded(each.confidence)}});
  return array;
}

json::object to_json(const detect::Evidence& evidence) {
  return {{"verdict", detect::name_of(evidence.verdict)},
          {"canonical", evidence.canonical},
          {"echo", evidence.echo},
          {"reader", evidence.reader != 0 ? json::value(evidence.reader) : json::value(nullptr)},
          {"command", evidence.command},
          {"call", evidence.call},
          {"timeout_ms", evidence.timeout_ms >= 0 ? json::value(evidence.timeout_ms) : json::value(nullptr)},
          {"unread", evidence.unread},
          {"refused", evidence.refused},
          {"sockets", evidence.sockets},
          {"requests", evidence.requests},
          {"pipes", evidence.pipes},
          {"shell", evidence.shell},
          {"relayed", evidence.relayed}};
}

}  // namespace

json::object to_json(const detect::Explanation& why) {
  const auto quiet = std::chrono::duration_cast<std::chrono::milliseconds>(why.quiet);
  return {{"state", detect::name_of(why.state)},
          {"rule", why.rule},
          {"signals",
           {{"pattern", rounded(why.signals.pattern)},
            {"kernel", rounded(why.signals.kernel)},
            {"time", rounded(why.signals.time)}}},
          {"matches", to_json(why.matches)},
          {"evidence", why.evidence ? json::value(to_json(*why.evidence)) : json::value(nullptr)},
          {"quiet_ms", quiet.count()}};
}

std::string_view name_of(Question::State state) {
  constexpr std::array<std::string_view, 6> kNames{"awaiting", "claimed",   "answered",
                                                   "expired",  "cancelled", "failed"};
  return kNames[static_cast<size_t>(state)];
}

std::string region_of(const detect::Prompt& prompt) {
  std::string text(detect::name_of(prompt.type));
  const auto add = [&](std::string_view part) {
    text += '\0';
    text += part;
  };
  add(prompt.question);
  for (const detect::Choice& each : prompt.choices) add(each.label);
  return store::region_hash(text);
}

store::PromptRecord record_of(const Question& question, const Asker& asker) {
  const detect::Prompt& prompt = question.asked.prompt;
  json::array choices;
  for (const detect::Choice& each : prompt.choices)
    choices.push_back(json::object{{"key", !each.key.empty() ? json::value(each.key) : json::value(nullptr)},
                                   {"label", each.label},
                                   {"send", each.send}});
  store::PromptRecord record;
  record.id = question.id;
  record.nonce = question.nonce;
  record.session = asker.session;
  record.name = asker.name;
  record.pty = asker.pty;
  record.run = asker.run;
  record.generation = static_cast<int64_t>(question.asked.number);
  record.region = region_of(prompt);
  record.type = detect::name_of(prompt.type);
  record.question = prompt.question;
  record.choices = json::serialize(choices);
  record.fallback = prompt.fallback;
  record.secret = prompt.secret;
  record.enter = prompt.enter;
  if (prompt.limit) record.limit = *prompt.limit;
  record.confidence = std::lround(question.asked.confidence * 100);
  record.excerpt = prompt.excerpt;
  record.evidence = json::serialize(to_json(question.asked.why));
  record.state = name_of(question.state);
  if (!question.outcome.empty()) record.outcome = question.outcome;
  record.by = question.by;
  record.channel = question.channel;
  record.rule = question.rule;
  record.created_at = question.asked_at;
  record.expires_at = question.expires_at;
  return record;
}

}  // namespace session
