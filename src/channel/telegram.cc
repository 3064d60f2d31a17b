// SPDX-License-Identifier: Apache-2.0
#include "channel/telegram.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "channel/telegram_medium.h"
#include "channel/token.h"
#include "wire/params.h"

namespace channel {

namespace json = boost::json;
using base::Code;
using base::fail;
using base::Result;

namespace {

std::string key_of(const std::string& prompt, const std::string& user) {
  return fmt::format("message {} {}", prompt, user);
}

int64_t message_of(const json::value& result) {
  const json::object* message = result.if_object();
  return message != nullptr ? wire::integer(*message, "message_id").value_or(0) : 0;
}

// What came of a call, for the queue.
SendQueue::Sent sent_of(const Api<json::value>& result) {
  using What = SendQueue::Sent::What;
  if (result) return {};
  const bool never =
      result.error().kind == ApiProblem::Kind::refused || result.error().kind == ApiProblem::Kind::too_large;
  return {
      .what = never ? What::never : What::again, .wait = result.error().wait, .problem = result.error().text};
}

}  // namespace

Telegram::Telegram(const Place& place, std::string token)
    : desk_(place.desk),
      users_(place.config.channels.telegram.allowed_users),
      api_(place.http, place.config.channels.telegram.api_url, std::move(token)),
      queue_(place.desk.loop(), [this](const SendQueue::Sent& sent) { told(sent); }),
      poll_(place.desk.loop(), api_,
            {.update = [this](const Update& update) { take(update); },
             .offset = [this](int64_t offset) { desk_.remember("offset", std::to_string(offset)); },
             .changed = [this] { desk_.report(); }}) {}

void Telegram::start() {
  const auto offset = base::parse_number<int64_t>(desk_.recall("offset").value_or("0"), 0, INT64_MAX);
  poll_.start(offset.value_or(0));
}

void Telegram::show(const Notice& notice) {
  for (const std::string& user : users_) {
    if (!shown(notice.prompt, user)) show_to(notice, user);
  }
}

void Telegram::change(const Notice& notice, const Ending& ending) {
  Ended& ended = ended_[notice.prompt];
  ended.notice = notice;
  ended.ending = ending;
  for (const std::string& user : users_) {
    // One that has not gone out need not.
    if (queue_.take_back(notice.prompt, user)) sending_.erase({notice.prompt, user});
    if (shown(notice.prompt, user) || sending_.contains({notice.prompt, user})) ended.left.insert(user);
  }
  const std::set<std::string> left = ended.left;
  for (const std::string& user : left) {
    if (shown(notice.prompt, user)) tell_end(notice.prompt, user);
  }
  told_end(notice.prompt, "");
}

Health Telegram::health() const {
  if (!poll_.problem().empty()) return {Health::State::troubled, poll_.problem()};
  if (!problem_.empty()) return {Health::State::troubled, problem_};
  if (!poll_.has_worked()) return {};
  return {Health::State::good, fmt::format("{} users may answer", users_.size())};
}

void Telegram::test(Tested done) {
  const auto left = std::make_shared<size_t>(users_.size());
  const auto problem = std::make_shared<std::string>();
  for (const std::string& user : users_) {
    api_.call("sendMessage",
              {{"chat_id", std::stoll(user)}, {"text", "This is a test of tend: messages reach you."}},
              [left, problem, user, done, count = users_.size()](const Api<json::value>& result) {
                if (!result) *problem = fmt::format("user {}: {}", user, result.error().text);
                if (--*left > 0) return;
                if (!problem->empty()) return done(fail(Code::internal, 0, *problem));
                done(fmt::format("a message went to {} users", count));
              });
  }
}

void Telegram::send(const Letter& letter) {
  queue_.add({.prompt = letter.prompt,
              .user = letter.user,
              .kind = letter.kind,
              .send =
                  [this, letter](const SendQueue::Then& then) {
                    api_.call(letter.method, letter.params, [letter, then](const Api<json::value>& result) {
                      const SendQueue::Sent sent = sent_of(result);
                      if (sent.what == SendQueue::Sent::What::never)
                        base::log::say(base::log::Level::warning, "{} came to nothing: {}", letter.method,
                                       sent.problem);
                      if (sent.what != SendQueue::Sent::What::again && letter.done) letter.done(result);
                      then(sent);
                    });
                  },
              .left_out =
                  [letter] {
                    if (letter.done)
                      letter.done(std::unexpected(ApiProblem{ApiProblem::Kind::refused, "left out", {}}));
                  }});
}

void Telegram::told(const SendQueue::Sent& sent) {
  std::string problem = sent.what == SendQueue::Sent::What::again ? sent.problem : "";
  if (problem == problem_) return;
  problem_ = std::move(problem);
  desk_.report();
}

bool Telegram::is_allowed(const std::string& user) const {
  return std::find(users_.begin(), users_.end(), user) != users_.end();
}

Answerable Telegram::answerable(const Notice& notice) const {
  return desk_.may_answer(notice) ? Answerable::here : Answerable::elsewhere;
}

std::optional<Telegram::Shown> Telegram::read_shown(const std::optional<std::string>& value) {
  if (!value) return {};
  const auto parts = base::split(*value, ' ');
  const auto message = base::parse_number<int64_t>(parts[0], 1, INT64_MAX);
  if (parts.size() != 2 || !message) return {};
  return Shown{*message, std::string(parts[1])};
}

std::optional<Telegram::Shown> Telegram::shown(const std::string& prompt, const std::string& user) const {
  return read_shown(desk_.recall(key_of(prompt, user)));
}

void Telegram::show_to(const Notice& notice, const std::string& user) {
  if (!sending_.insert({notice.prompt, user}).second) return;
  const auto done = [this, prompt = notice.prompt, nonce = notice.nonce, user](Api<json::value> sent) {
    sending_.erase({prompt, user});
    if (const int64_t message = sent ? message_of(*sent) : 0; message > 0) {
      desk_.remember(key_of(prompt, user), fmt::format("{} {}", message, nonce), prompt);
      if (ended_.contains(prompt)) tell_end(prompt, user);
    } else {
      told_end(prompt, user);
    }
  };
  send({.user = user,
        .method = "sendMessage",
        .params = {{"chat_id", std::stoll(user)},
                   {"text", asking_text(notice, answerable(notice))},
                   {"parse_mode", "HTML"},
                   {"disable_web_page_preview", true},
                   {"reply_markup", buttons_of(notice, answerable(notice))}},
        .kind = SendQueue::Kind::fresh,
        .prompt = notice.prompt,
        .done = done});
}

void Telegram::tell_end(const std::string& prompt, const std::string& user) {
  const Ended& ended = ended_[prompt];
  const auto message = shown(prompt, user);
  if (!message) return told_end(prompt, user);
  send({.user = user,
        .method = "editMessageText",
        .params = {{"chat_id", std::stoll(user)},
                   {"message_id", message->message},
                   {"text", ended_text(ended.notice, ended.ending, name_of(ended.ending.by))},
                   {"parse_mode", "HTML"},
                   {"disable_web_page_preview", true}},
        .done = [this, prompt, user](const Api<json::value>&) { told_end(prompt, user); }});
}

void Telegram::told_end(const std::string& prompt, const std::string& user) {
  const auto found = ended_.find(prompt);
  if (found == ended_.end()) return;
  found->second.left.erase(user);
  if (!found->second.left.empty()) return;
  ended_.erase(found);
  if (!desk_.recall_all("message " + prompt + " ").empty()) desk_.finished(prompt);
}

// As people call them, where that is known.
std::string Telegram::name_of(const std::string& by) const {
  constexpr std::string_view kPrefix = "telegram:";
  if (!by.starts_with(kPrefix)) return by;
  const auto found = names_.find(by.substr(kPrefix.size()));
  return found != names_.end() && !found->second.empty() ? found->second : by;
}

std::string Telegram::with_names(std::string text) const {
  for (const auto& [user, name] : names_) {
    const std::string id = "telegram:" + user;
    const size_t at = name.empty() ? std::string::npos : text.find(id);
    if (at != std::string::npos) text.replace(at, id.size(), name);
  }
  return text;
}

Result<std::unique_ptr<Medium>> make_telegram(const Place& place) {
  const config::Telegram& settings = place.config.channels.telegram;
  auto token = read_token({.file = settings.token_file,
                           .setting = "channels.telegram.token_file",
                           .variable = "TEND_TELEGRAM_TOKEN"});
  if (!token) return fail(token);
  if (settings.allowed_users.empty())
    return fail(Code::invalid_param, 0, "nobody may answer: channels.telegram.allowed_users is empty");
  for (const std::string& user : settings.allowed_users) {
    if (!base::parse_number<int64_t>(user, 1, int64_t{1} << 52))
      return fail(Code::invalid_param, 0,
                  fmt::format("channels.telegram.allowed_users: '{}' is not the number of a user",
                              base::printable(user, 40)));
  }
  return std::make_unique<Telegram>(place, std::move(*token));
}

}  // namespace channel
