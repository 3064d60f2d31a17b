// SPDX-License-Identifier: Apache-2.0
// What a program asks, and how tend knows, as the protocol shows it.
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "daemon/describe.h"
#include "session/prompt_record.h"

namespace host {

namespace json = boost::json;

namespace {

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::value maybe_text(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::value maybe_time(const std::optional<int64_t>& at) {
  return at ? json::value(to_time(*at)) : json::value(nullptr);
}

// What the store wrote itself.
json::value parsed(const std::string& text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  return error ? json::value(nullptr) : value;
}

}  // namespace

json::object describe(const detect::Explanation& why) { return session::to_json(why); }

json::object describe(const store::PromptRecord& prompt, Detail detail) {
  json::object object{{"id", prompt.id},
                      {"nonce", prompt.nonce},
                      {"session", prompt.session},
                      {"name", prompt.name},
                      {"pty", prompt.pty},
                      {"type", prompt.type},
                      {"question", prompt.question},
                      {"choices", parsed(prompt.choices)},
                      {"default", maybe_text(prompt.fallback)},
                      {"secret", prompt.secret},
                      {"enter", prompt.enter},
                      {"limit", prompt.limit ? json::value(*prompt.limit) : json::value(nullptr)},
                      {"confidence", static_cast<double>(prompt.confidence) / 100},
                      {"ambiguous", prompt.type == detect::name_of(detect::Type::unknown)},
                      {"excerpt", prompt.excerpt},
                      {"state", prompt.state},
                      {"outcome", maybe_text(prompt.outcome)},
                      {"by", text_or_null(prompt.by)},
                      {"channel", text_or_null(prompt.channel)},
                      {"rule", text_or_null(prompt.rule)},
                      {"created_at", to_time(prompt.created_at)},
                      {"asked_at", to_time(prompt.created_at)},
                      {"expires_at", to_time(prompt.expires_at)}};
  if (detail == Detail::brief) return object;
  object["value"] = maybe_text(prompt.value);
  object["run"] = prompt.run;
  object["claimed_at"] = maybe_time(prompt.claimed_at);
  object["ended_at"] = maybe_time(prompt.ended_at);
  object["why"] = parsed(prompt.evidence);
  return object;
}

}  // namespace host
