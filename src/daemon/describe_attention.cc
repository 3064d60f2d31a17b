// SPDX-License-Identifier: Apache-2.0
// What a program asks, and how tend knows, as the protocol shows it.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cmath>

#include "daemon/describe.h"

namespace host {

namespace json = boost::json;

namespace {

// 0.9 and not 0.90000000000000002.
double rounded(double confidence) { return std::round(confidence * 100) / 100; }

json::array describe(const std::vector<detect::Match>& matches) {
  json::array array;
  for (const detect::Match& each : matches)
    array.push_back(json::object{
        {"name", each.name}, {"type", detect::name_of(each.type)}, {"confidence", rounded(each.confidence)}});
  return array;
}

json::object describe(const detect::Evidence& evidence) {
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

json::object describe(const detect::Explanation& why) {
  const auto quiet = std::chrono::duration_cast<std::chrono::milliseconds>(why.quiet);
  return {{"state", detect::name_of(why.state)},
          {"rule", why.rule},
          {"signals",
           {{"pattern", rounded(why.signals.pattern)},
            {"kernel", rounded(why.signals.kernel)},
            {"time", rounded(why.signals.time)}}},
          {"matches", describe(why.matches)},
          {"evidence", why.evidence ? json::value(describe(*why.evidence)) : json::value(nullptr)},
          {"quiet_ms", quiet.count()}};
}

json::object describe(const session::Question& question) {
  const detect::Prompt& prompt = question.asked.prompt;
  json::array choices;
  for (const detect::Choice& each : prompt.choices)
    choices.push_back(json::object{{"label", each.label},
                                   {"key", !each.key.empty() ? json::value(each.key) : json::value(nullptr)},
                                   {"send", each.send}});
  return {{"id", question.id},
          {"asked_at", to_time(question.asked_at)},
          {"type", detect::name_of(prompt.type)},
          {"question", prompt.question},
          {"choices", std::move(choices)},
          {"default", prompt.fallback ? json::value(*prompt.fallback) : json::value(nullptr)},
          {"secret", prompt.secret},
          {"enter", prompt.enter},
          {"limit", prompt.limit ? json::value(*prompt.limit) : json::value(nullptr)},
          {"confidence", rounded(question.asked.confidence)},
          {"ambiguous", question.asked.ambiguous},
          {"excerpt", prompt.excerpt}};
}

json::object describe(const session::Question& question, const session::Session& session,
                      const session::Pty& pty) {
  json::object object = describe(question);
  object["session"] = session.id();
  object["name"] = session.name();
  object["pty"] = pty.number();
  object["why"] = describe(question.asked.why);
  return object;
}

}  // namespace host
