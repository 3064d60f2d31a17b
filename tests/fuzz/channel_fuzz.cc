// SPDX-License-Identifier: Apache-2.0
// What the world says to a channel, and what programs print into its messages: Telegram's updates, Slack's
// events, buttons and answers' URLs of any shape are read or come to nothing, and a message about any prompt
// is within its medium's bounds.
#include <boost/json/parse.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/ids.h"
#include "channel/escape.h"
#include "channel/notice.h"
#include "channel/press.h"
#include "channel/slack_events.h"
#include "channel/slack_socket.h"
#include "channel/slack_text.h"
#include "channel/telegram_text.h"
#include "channel/telegram_updates.h"
#include "channel/webhook_text.h"

namespace {

namespace json = boost::json;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_press(std::string_view bytes) {
  const auto press = channel::read_press(bytes);
  if (!press) return;
  check(channel::callback_data(*press).size() <= channel::kMostCallbackData);
  const auto again = channel::read_press(channel::callback_data(*press));
  check(again && again->prompt == press->prompt && again->nonce == press->nonce &&
        again->what == press->what && again->choice == press->choice);
}

void check_updates(const json::value& value) {
  int64_t last = 0;
  for (const channel::Update& each : channel::read_updates(value)) {
    check(each.id >= last);
    last = each.id;
    check_press(each.data);
  }
}

void check_answer_url(std::string_view bytes) {
  if (const auto target = channel::read_target(bytes)) {
    check(base::is_id(target->prompt) && target->expires > 0 && target->signature.size() == 64);
    (void)channel::read_reply(target->query, "", "");
  }
  for (const char* type : {"application/json", "application/x-www-form-urlencoded", "text/plain"})
    (void)channel::read_reply("", type, bytes);
}

// Telegram counts UTF-16 units, of what is left when the markup is taken away; bytes are never fewer.
void check_messages(const channel::Notice& notice) {
  for (const auto answerable : {channel::Answerable::here, channel::Answerable::elsewhere}) {
    check(channel::asking_text(notice, answerable).size() <= 8 * channel::kMostMessage);
    (void)channel::buttons_of(notice, answerable);
    for (const json::value& block : channel::slack_asking(notice, answerable).blocks)
      if (block.at("type").as_string() == "section")
        check(block.at_pointer("/text/text").as_string().size() <= 4 * channel::kMostSlackSection);
  }
  for (const auto format : {channel::WebhookFormat::json, channel::WebhookFormat::text}) {
    for (const std::string& header : channel::asked_post(notice, "http://127.0.0.1/answer", format).headers)
      check(header.find_first_of("\r\n") == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_press(bytes);
  check_answer_url(bytes);
  (void)channel::read_socket_url(bytes);
  const channel::SlackEvent event = channel::read_slack_event(bytes);
  check((event.what == channel::SlackEvent::What::press) == event.press.has_value());
  boost::system::error_code wrong;
  const json::value value = json::parse(bytes, wrong, {}, {.max_depth = 32});
  if (!wrong) check_updates(value);
  channel::Notice notice;
  notice.prompt = std::string(16, 'a');
  notice.nonce = std::string(16, 'b');
  if (!wrong && value.is_object()) {
    notice = channel::notice_of(value.get_object());
    (void)channel::ending_of(value.get_object());
  } else {
    notice.question = notice.excerpt = bytes;
    notice.choices = {{"", std::string(bytes)}, {std::string(bytes.substr(0, 3)), "b"}};
  }
  check_messages(notice);
  return 0;
}
