// SPDX-License-Identifier: Apache-2.0
#include "channel/slack_events.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "base/strings.h"
#include "channel/slack_text.h"

namespace channel {
namespace {

namespace json = boost::json;
using What = SlackEvent::What;

constexpr size_t kMostId = 256;  // Slack's own have some forty

std::string text_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

// Names of things: they are kept, and asked for again.
std::string id_in(const json::object& object, std::string_view name) {
  const std::string id = text_in(object, name);
  return id.size() <= kMostId ? id : "";
}

// "1700000000.000100", as Slack numbers messages.
int64_t seconds_of(std::string_view stamp) {
  return base::parse_number<int64_t>(stamp.substr(0, stamp.find('.')), 0, int64_t{1} << 40).value_or(0);
}

const json::object& object_in(const json::object& object, std::string_view name) {
  static const json::object kNone;
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_object() ? found->get_object() : kNone;
}

void read_press_of(const json::object& payload, SlackEvent& event) {
  const json::value* actions = payload.if_contains("actions");
  if (actions == nullptr || !actions->is_array() || actions->get_array().empty()) return;
  const json::value& first = actions->get_array().front();
  if (first.is_object()) event.press = read_press(text_in(first.get_object(), "value"));
  if (!event.press) return;
  event.what = What::press;
  event.user = id_in(object_in(payload, "user"), "id");
  event.channel = id_in(object_in(payload, "channel"), "id");
  event.message = id_in(object_in(payload, "message"), "ts");
}

void read_message(const json::object& payload, SlackEvent& event) {
  const json::object& said = object_in(payload, "event");
  event.event = id_in(payload, "event_id");
  // What bots say, this one among them, and what was edited or removed is no answer.
  if (text_in(said, "type") != "message" || said.contains("subtype") || said.contains("bot_id") ||
      text_in(said, "channel_type") != "im")
    return;
  event.what = What::message;
  event.user = id_in(said, "user");
  event.channel = id_in(said, "channel");
  event.message = id_in(said, "ts");
  event.date = seconds_of(event.message);
  event.thread = id_in(said, "thread_ts");
  event.text = typed_in_slack(text_in(said, "text"));
}

}  // namespace

SlackEvent read_slack_event(std::string_view text) {
  SlackEvent event;
  boost::system::error_code wrong;
  const json::value parsed = json::parse(text, wrong);
  if (wrong || !parsed.is_object()) return event;
  const json::object& envelope = parsed.get_object();
  const std::string type = text_in(envelope, "type");
  event.envelope = id_in(envelope, "envelope_id");
  if (type == "hello") event.what = What::hello;
  if (type == "disconnect") event.what = What::disconnect;
  if (event.envelope.empty()) return event;
  const json::object& payload = object_in(envelope, "payload");
  if (type == "interactive" && text_in(payload, "type") == "block_actions") read_press_of(payload, event);
  if (type == "events_api") read_message(payload, event);
  return event;
}

}  // namespace channel
