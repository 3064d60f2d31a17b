// SPDX-License-Identifier: Apache-2.0
// What people say to the bot: buttons, answers, commands.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/strings.h"
#include "channel/escape.h"
#include "channel/notice.h"
#include "channel/telegram_medium.h"

namespace channel {

namespace json = boost::json;
using base::Result;

namespace {

constexpr size_t kMostAlert = 200;   // of what answers a button
constexpr size_t kMostWaiting = 20;  // messages to one person; then commands are passed over
constexpr size_t kMostNames = 100;   // of people

std::string sentence(const Outcome& outcome) {
  if (outcome.state == "cancelled") return "Cancelled. Nothing was sent.";
  if (outcome.outcome == "accepted") return "Done.";
  if (outcome.outcome == "rejected") return "The program took it and asks the same again.";
  return "It was sent; what came of it is not known.";
}

}  // namespace

void Telegram::take(const Update& update) {
  if (update.user.empty()) return;
  if (!is_allowed(update.user)) {
    desk_.refused("telegram:" + update.user, update.query.empty() ? "a message" : "a button");
    return;
  }
  if (!update.private_chat) return;
  if (names_.size() < kMostNames || names_.contains(update.user)) names_[update.user] = update.name;
  if (!update.query.empty()) return pressed(update);
  if (!update.text.empty()) said(update);
}

void Telegram::pressed(const Update& update) {
  const auto press = read_press(update.data);
  if (!press) return tell_press(update, "This button is of no use any more.");
  if (press->what == Press::What::output) {
    tell_press(update, "");
    return show_screen_of(*press, update.user);
  }
  const Reply reply = reply_of(*press, "telegram:" + update.user);
  desk_.answer(reply, [this, update](const Result<Outcome>& outcome) {
    tell_press(update, outcome ? sentence(*outcome) : with_names(outcome.error().message()));
  });
}

void Telegram::tell_press(const Update& update, const std::string& text) {
  send({.user = update.user,
        .method = "answerCallbackQuery",
        .params = {{"callback_query_id", update.query}, {"text", first_of(plain(text), kMostAlert)}}});
}

void Telegram::say(const std::string& user, std::string html_text, int64_t reply_to) {
  if (queue_.waiting(user) >= kMostWaiting) return;
  json::object params{{"chat_id", std::stoll(user)},
                      {"text", std::move(html_text)},
                      {"parse_mode", "HTML"},
                      {"disable_web_page_preview", true}};
  if (reply_to != 0) {
    params["reply_to_message_id"] = reply_to;
    params["allow_sending_without_reply"] = true;
  }
  send({.user = user, .method = "sendMessage", .params = std::move(params), .kind = SendQueue::Kind::fresh});
}

void Telegram::show_screen_of(const Press& press, const std::string& user) {
  const Notice* notice = desk_.find(press.prompt);
  const std::string title = notice != nullptr ? notice->session : "Last output";
  desk_.screen_of(press.prompt, [this, user, title](const Result<std::string>& screen) {
    say(user, screen ? screen_text(title, *screen) : html(screen.error().message()));
  });
}

void Telegram::said(const Update& update) {
  if (update.reply_to != 0) {
    for (const auto& [key, value] : desk_.recall_all("message ")) {
      const auto parts = base::split(key, ' ');
      const auto known = read_shown(value);
      if (parts.size() != 3 || parts[2] != update.user || !known || known->message != update.reply_to)
        continue;
      return answer_with(update, std::string(parts[1]), known->nonce);
    }
  }
  if (update.text.starts_with('/')) return command(update);
  const auto open = desk_.open_notices();
  if (open.empty()) return say(update.user, "Nothing waits for an answer.", update.message);
  if (open.size() > 1)
    return say(update.user, "More than one prompt is open: reply to the message that you mean.",
               update.message);
  // One that waited with the server while nobody was here may mean something else.
  if (is_too_early(update.date, *open[0]))
    return say(update.user, "That came before it was asked: reply to the message that you mean.",
               update.message);
  answer_with(update, open[0]->prompt, open[0]->nonce);
}

void Telegram::answer_with(const Update& update, const std::string& prompt, const std::string& nonce) {
  const Notice* notice = desk_.find(prompt);
  const bool secret = notice != nullptr && notice->secret;
  // It is of use to nobody in the chat, and should not stay there.
  if (secret)
    send({.user = update.user,
          .method = "deleteMessage",
          .params = {{"chat_id", std::stoll(update.user)}, {"message_id", update.message}}});
  const Reply reply{.prompt = prompt,
                    .nonce = nonce,
                    .kind = Reply::Kind::text,
                    .text = update.text,
                    .who = "telegram:" + update.user};
  desk_.answer(reply, [this, update, secret](const Result<Outcome>& outcome) {
    // The message of the prompt says what came of it; only what went wrong needs one of its own.
    if (outcome && outcome->outcome == "accepted") return;
    say(update.user, html(plain(outcome ? sentence(*outcome) : with_names(outcome.error().message()))),
        secret ? 0 : update.message);
  });
}

void Telegram::command(const Update& update) {
  const std::string_view text = update.text;
  const std::string_view word = text.substr(1, text.find_first_of(" \n@") - 1);
  const size_t space = text.find_first_of(" \n");
  const std::string rest(space == std::string_view::npos ? "" : base::trim(text.substr(space)));
  if (word == "sessions")
    return desk_.sessions([this, user = update.user](const Result<std::vector<SessionLine>>& list) {
      say(user, list ? sessions_text(*list) : html(list.error().message()));
    });
  if (word == "screen" && !rest.empty())
    return desk_.screen(rest, [this, user = update.user, rest](const Result<std::string>& screen) {
      say(user, screen ? screen_text(rest, *screen) : html(plain(screen.error().message())));
    });
  say(update.user, help_text());
}

}  // namespace channel
