// SPDX-License-Identifier: Apache-2.0
// Telegram: people as users of a bot, each in a private chat with it. One message for each prompt and user,
// changed in place when it has ended; which message that is, is remembered. Buttons carry all that their
// answer needs. Text is an answer when it replies to the message of a prompt, or when only one is open.
#pragma once
#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "channel/kinds.h"
#include "channel/send_queue.h"
#include "channel/telegram_api.h"
#include "channel/telegram_poll.h"
#include "channel/telegram_text.h"

namespace channel {

// What a person is to be told over the Bot API.
struct Letter {
  std::string user = {};
  std::string method = {};
  boost::json::object params = {};
  SendQueue::Kind kind = SendQueue::Kind::update;
  std::string prompt = {};  // that it shows
  // Called once: with the result, or with a problem that trying again does not mend.
  TelegramApi::Done done = {};
};

class Telegram final : public Medium {
 public:
  Telegram(const Place& place, std::string token);

  void start() override;
  void show(const Notice& notice) override;
  void change(const Notice& notice, const Ending& ending) override;
  Health health() const override;
  void test(Tested done) override;

 private:
  // What is known of the message that shows a prompt to a user.
  struct Shown {
    int64_t message = 0;
    std::string nonce;
  };
  struct Ended {
    Notice notice;
    Ending ending;
    std::set<std::string> left;  // users that are still to be told
  };

  void send(const Letter& letter);
  void told(const SendQueue::Sent& sent);
  bool is_allowed(const std::string& user) const;
  Answerable answerable(const Notice& notice) const;
  static std::optional<Shown> read_shown(const std::optional<std::string>& value);
  std::optional<Shown> shown(const std::string& prompt, const std::string& user) const;
  void show_to(const Notice& notice, const std::string& user);
  void tell_end(const std::string& prompt, const std::string& user);
  void told_end(const std::string& prompt, const std::string& user);
  std::string name_of(const std::string& by) const;
  std::string with_names(std::string text) const;

  // telegram_inbox.cc: what people say.
  void take(const Update& update);
  void pressed(const Update& update);
  void tell_press(const Update& update, const std::string& text);
  void say(const std::string& user, std::string html_text, int64_t reply_to = 0);
  void show_screen_of(const Press& press, const std::string& user);
  void said(const Update& update);
  void answer_with(const Update& update, const std::string& prompt, const std::string& nonce);
  void command(const Update& update);

  Desk& desk_;
  std::vector<std::string> users_;
  TelegramApi api_;
  SendQueue queue_;
  std::string problem_;  // why nothing goes out now; empty: it does
  Poll poll_;
  std::map<std::string, std::string> names_;               // of users
  std::set<std::pair<std::string, std::string>> sending_;  // prompts and users
  std::map<std::string, Ended> ended_;
};

}  // namespace channel
