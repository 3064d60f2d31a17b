// SPDX-License-Identifier: Apache-2.0
#include "lab/slack.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <ctime>
#include <fmt/format.h>
#include <utility>

#include "wire/params.h"

namespace lab {
namespace {

json::object parsed(const std::string& body) {
  boost::system::error_code wrong;
  json::value value = json::parse(body, wrong);
  return !wrong && value.is_object() ? std::move(value.get_object()) : json::object();
}

const json::object& object_of(const json::value& value) {
  static const json::object kNone;
  return value.is_object() ? value.get_object() : kNone;
}

Service::Answer ok(json::object more) {
  more["ok"] = true;
  return {.status = 200, .body = json::serialize(more), .headers = {{"Content-Type", "application/json"}}};
}

// Slack numbers messages by the time they were written.
std::string stamp_of(std::time_t time, int number) { return fmt::format("{}.{:06}", time, number); }

}  // namespace

Slack::Slack(std::function<void(std::string&)> garble)
    : garble_(std::move(garble)), service_([this](const Service::Request& asked) { return answer(asked); }) {
  front_ = fmt::format("ws://127.0.0.1:{}", service_.port());
  service_.set_greeting(R"({"type":"hello"})");
}

Service::Answer Slack::answer(const Service::Request& request) {
  if (request.target == "/api/apps.connections.open")
    return ok({{"url", fmt::format("{}/link/{}", front_, ++links_)}});
  if (request.target == "/api/chat.postMessage") {
    const std::string channel = wire::text(parsed(request.body), "channel").value_or("");
    return ok({{"channel", channel.starts_with('D') ? channel : "D" + channel}, {"ts", stamp(++messages_)}});
  }
  if (request.target == "/api/chat.update") return ok({});
  return ok({{"user", "tend"}, {"team", "lab"}});
}

std::vector<json::object> Slack::posted(const std::string& method) const {
  std::vector<json::object> bodies;
  for (const Service::Request& each : service_.all("/" + method)) bodies.push_back(parsed(each.body));
  return bodies;
}

size_t Slack::count(const std::string& method) const { return service_.count("/" + method); }

json::array Slack::buttons(const json::object& message) {
  const json::value* blocks = message.if_contains("blocks");
  if (blocks == nullptr || !blocks->is_array()) return {};
  for (const json::value& block : blocks->get_array()) {
    if (wire::text(object_of(block), "type") != "actions") continue;
    const json::value* elements = object_of(block).if_contains("elements");
    if (elements != nullptr && elements->is_array()) return elements->get_array();
  }
  return {};
}

std::string Slack::value_of(const json::object& message, size_t button) {
  const json::array all = buttons(message);
  return button < all.size() ? wire::text(object_of(all[button]), "value").value_or("") : "";
}

std::string Slack::value_of(const json::object& message, std::string_view label) {
  for (const json::value& each : buttons(message)) {
    const json::value* text = object_of(each).if_contains("text");
    if (text != nullptr && wire::text(object_of(*text), "text") == label)
      return wire::text(object_of(each), "value").value_or("");
  }
  return "";
}

std::string Slack::stamp(int number) { return stamp_of(1'700'000'000, number); }

json::object Slack::press(const std::string& user, const std::string& value, const std::string& message) {
  return {{"type", "block_actions"},
          {"user", json::object{{"id", user}}},
          {"channel", json::object{{"id", "D" + user}}},
          {"message", json::object{{"ts", message}}},
          {"actions", json::array{json::object{{"type", "button"}, {"value", value}}}}};
}

json::object Slack::write(const std::string& user, const std::string& text, const std::string& thread) {
  json::object event{{"type", "message"}, {"channel_type", "im"},
                     {"user", user},      {"channel", "D" + user},
                     {"text", text},      {"ts", stamp_of(std::time(nullptr), 1)}};
  if (!thread.empty()) event["thread_ts"] = thread;
  return {{"type", "event_callback"},
          {"event_id", fmt::format("Ev{}", ++envelopes_)},
          {"event", std::move(event)}};
}

std::string Slack::envelope(std::string_view type, json::object payload, const std::string& id) {
  return json::serialize(json::object{{"envelope_id", id.empty() ? fmt::format("e{}", ++envelopes_) : id},
                                      {"type", type},
                                      {"accepts_response_payload", false},
                                      {"payload", std::move(payload)}});
}

void Slack::say(std::string envelope) {
  if (garble_) garble_(envelope);
  service_.send(link(), std::move(envelope));
}

}  // namespace lab
