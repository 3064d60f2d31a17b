// SPDX-License-Identifier: Apache-2.0
#include "channel/slack.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "base/log.h"
#include "channel/backoff.h"
#include "channel/escape.h"
#include "channel/notice.h"
#include "channel/send_queue.h"
#include "channel/slack_api.h"
#include "channel/slack_events.h"
#include "channel/slack_socket.h"
#include "channel/slack_text.h"
#include "channel/token.h"
#include "wire/params.h"

namespace channel {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = boost::json;
using What = SendQueue::Sent::What;

constexpr size_t kMostSeen = 1000;
constexpr size_t kMostAnswer = 4096;

// What comes is not trusted to be of the right kind.
std::string text_of(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

constexpr std::string_view kMessages = "slack message ";

std::string message_key(const std::string& prompt, const std::string& user) {
  return fmt::format("{}{} {}", kMessages, prompt, user);
}

// Where a message is, as it is remembered.
struct Where {
  std::string channel;
  std::string ts;
};

std::optional<Where> read_where(const std::optional<std::string>& text) {
  const size_t space = text ? text->find(' ') : std::string::npos;
  if (space == std::string::npos) return {};
  return Where{text->substr(0, space), text->substr(space + 1)};
}

class Slack final : public Medium {
 public:
  struct Settings {
    std::string api_url;
    std::string bot_token;
    std::string app_token;
    std::vector<std::string> users;
    base::Duration timeout{};
    std::optional<std::string> ca_file = {};
  };

  Slack(const Place& place, Settings settings)
      : desk_(place.desk),
        settings_(std::move(settings)),
        bot_(place.http, settings_.api_url, settings_.bot_token),
        app_(place.http, settings_.api_url, settings_.app_token),
        queue_(place.desk.loop(), [this](const SendQueue::Sent& sent) { told(sent); }),
        again_(place.desk.loop(), [this] { connect(); }) {}

  void start() override { connect(); }

  void show(const Notice& notice) override {
    for (const std::string& user : settings_.users) {
      if (desk_.recall(message_key(notice.prompt, user))) continue;
      queue_.add({.prompt = notice.prompt,
                  .user = user,
                  .kind = SendQueue::Kind::fresh,
                  .send = [this, notice, user](const SendQueue::Then& then) {
                    SlackMessage message = slack_asking(notice, answerable(notice));
                    post(user, {}, std::move(message), [this, notice, user, then](const SlackAnswer& answer) {
                      if (!answer) return then(answer.error());
                      desk_.remember(message_key(notice.prompt, user),
                                     text_of(*answer, "channel") + " " + text_of(*answer, "ts"),
                                     notice.prompt);
                      then({});
                    });
                  }});
    }
  }

  void change(const Notice& notice, const Ending& ending) override {
    const auto left = std::make_shared<size_t>(settings_.users.size());
    const auto done = [this, left, prompt = notice.prompt] {
      if (--*left == 0) desk_.finished(prompt);
    };
    if (settings_.users.empty()) return desk_.finished(notice.prompt);
    for (const std::string& user : settings_.users) {
      if (queue_.take_back(notice.prompt, user)) {
        done();
        continue;
      }
      queue_.add({.prompt = notice.prompt,
                  .user = user,
                  .kind = SendQueue::Kind::update,
                  .send =
                      [this, notice, ending, user, done](const SendQueue::Then& then) {
                        update(notice, ending, user, [done, then](const SendQueue::Sent& sent) {
                          if (sent.what != What::again) done();
                          then(sent);
                        });
                      },
                  .left_out = done});
    }
  }

  Health health() const override {
    if (!problem_.empty()) return {Health::State::troubled, problem_};
    if (!listening_) return {Health::State::starting, "connecting to Slack"};
    if (settings_.users.empty())
      return {Health::State::troubled, "nobody may answer: set channels.slack.allowed_users"};
    return {Health::State::good, "connected to Slack"};
  }

  void test(Tested done) override {
    if (settings_.users.empty())
      return done(fail(Code::invalid_param, 0, "nobody may answer: set channels.slack.allowed_users"));
    const std::string user = settings_.users.front();
    post(user, {}, {.text = "This is a test of tend.", .blocks = {}},
         [user, done = std::move(done)](const SlackAnswer& answer) {
           if (!answer) return done(fail(Code::internal, 0, answer.error().problem));
           done("a test was sent to " + user);
         });
  }

 private:
  Answerable answerable(const Notice& notice) const {
    return desk_.may_answer(notice) ? Answerable::here : Answerable::elsewhere;
  }

  void post(const std::string& channel, const std::string& thread, SlackMessage message,
            SlackApi::Done done) {
    json::object params{{"channel", channel}, {"text", std::move(message.text)}, {"unfurl_links", false}};
    if (!message.blocks.empty()) params["blocks"] = std::move(message.blocks);
    if (!thread.empty()) params["thread_ts"] = thread;
    bot_.call("chat.postMessage", params, std::move(done));
  }

  void update(const Notice& notice, const Ending& ending, const std::string& user, SendQueue::Then then) {
    const auto where = read_where(desk_.recall(message_key(notice.prompt, user)));
    // It never got one. Later, as the queue wants it.
    if (!where) return desk_.loop().post([then = std::move(then)] { then({}); });
    SlackMessage message = slack_ended(notice, ending, ending.by);
    bot_.call("chat.update",
              {{"channel", where->channel},
               {"ts", where->ts},
               {"text", std::move(message.text)},
               {"blocks", std::move(message.blocks)}},
              [then = std::move(then)](const SlackAnswer& answer) {
                then(answer ? SendQueue::Sent{} : answer.error());
              });
  }

  // A word to one person, where he is.
  void say(const Where& where, const std::string& user, SlackMessage message) {
    queue_.add({.prompt = "",
                .user = user,
                .kind = SendQueue::Kind::update,
                .send = [this, where, message = std::move(message)](const SendQueue::Then& then) {
                  post(where.channel, where.ts, message, [then](const SlackAnswer& answer) {
                    then(answer ? SendQueue::Sent{} : answer.error());
                  });
                }});
  }
  void say(const Where& where, const std::string& user, const std::string& text) {
    say(where, user, SlackMessage{.text = slack_text(text), .blocks = {}});
  }

  void told(const SendQueue::Sent& sent) { set_problem(sent.what == What::done ? "" : sent.problem); }

  void set_problem(std::string problem) {
    if (problem == problem_) return;
    problem_ = std::move(problem);
    desk_.report();
  }

  // A socket is asked for anew each time: its URL is good once.
  void connect() {
    if (std::exchange(connecting_, true)) return;
    app_.call("apps.connections.open", {}, [this](const SlackAnswer& answer) {
      connecting_ = false;
      if (!answer) return failed(answer.error().problem, answer.error().wait);
      const auto url = read_socket_url(text_of(*answer, "url"));
      if (!url) return failed(url.error().message(), {});
      const uint64_t number = ++sockets_;
      next_ = std::make_unique<SlackSocket>(
          desk_.loop(), *url, settings_.timeout, settings_.ca_file,
          SlackSocket::Calls{.message = [this, number](const std::string& text) { take(number, text); },
                             .closed = [this, number](const std::string& why) { closed(number, why); }});
    });
  }

  void failed(const std::string& why, std::optional<base::Duration> wait) {
    set_problem(why);
    again_.set_after(backoff_.failed(wait));
  }

  // The one that was there stays until the next one has said hello, so that nothing is lost between them.
  void closed(uint64_t number, const std::string& why) {
    if (number == listening_to_) {
      listening_ = false;
      desk_.loop().post([gone = std::shared_ptr<SlackSocket>(std::move(socket_))] {});
      if (next_ || connecting_ || again_.pending()) return;
      return failed("Slack: " + why, {});
    }
    if (number != sockets_) return;
    desk_.loop().post([gone = std::shared_ptr<SlackSocket>(std::move(next_))] {});
    failed("Slack: " + why, {});
  }

  void take(uint64_t number, const std::string& text) {
    const SlackEvent event = read_slack_event(text);
    if (event.what == SlackEvent::What::hello) {
      if (number == sockets_ && next_) take_over(number);
    } else if (event.what == SlackEvent::What::disconnect) {
      if (number == listening_to_ && !next_) connect();
    } else if (!event.envelope.empty()) {
      // At once, and whatever it is: what is not acknowledged is sent again.
      if (number == listening_to_ && socket_)
        socket_->send(json::serialize(json::object{{"envelope_id", event.envelope}}));
      if (!is_new(event.envelope) || (!event.event.empty() && !is_new(event.event))) return;
      if (event.what == SlackEvent::What::press) pressed(event);
      if (event.what == SlackEvent::What::message) written(event);
    }
  }

  void take_over(uint64_t number) {
    desk_.loop().post([old = std::shared_ptr<SlackSocket>(std::move(socket_))] {});
    socket_ = std::move(next_);
    listening_to_ = number;
    listening_ = true;
    backoff_.succeeded();
    problem_.clear();
    desk_.report();
  }

  bool is_new(const std::string& id) {
    if (!seen_.insert(id).second) return false;
    order_.push_back(id);
    if (order_.size() > kMostSeen) {
      seen_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }

  bool may(const std::string& user, const std::string& what) {
    if (std::find(settings_.users.begin(), settings_.users.end(), user) != settings_.users.end()) return true;
    desk_.refused("slack:" + user.substr(0, 64), what);
    return false;
  }

  void pressed(const SlackEvent& event) {
    const Press& press = *event.press;
    if (!may(event.user, "a button")) return;
    const Where where{event.channel, event.message};
    if (press.what == Press::What::output) return show_screen(press, where, event.user);
    answer(reply_of(press, "slack:" + event.user), where, event.user);
  }

  void show_screen(const Press& press, const Where& where, const std::string& user) {
    desk_.screen_of(press.prompt, [this, where, user](const Result<std::string>& screen) {
      if (!screen) return say(where, user, screen.error().what);
      say(where, user, slack_screen(*screen));
    });
  }

  void written(const SlackEvent& event) {
    if (!may(event.user, "a message")) return;
    const Where where{event.channel, event.thread.empty() ? event.message : event.thread};
    const auto notice = meant(event);
    if (!notice) return say(where, event.user, notice.error().what);
    if (event.text.size() > kMostAnswer) return say(where, event.user, "The answer is too long.");
    if (!desk_.may_answer(**notice))
      return say(where, event.user, "A secret is answered at the terminal or in the browser.");
    answer({.prompt = (*notice)->prompt,
            .nonce = (*notice)->nonce,
            .text = event.text,
            .who = "slack:" + event.user},
           where, event.user);
  }

  // The prompt whose thread this is; where only one is open, that.
  Result<const Notice*> meant(const SlackEvent& event) const {
    if (event.thread.empty()) {
      const auto open = desk_.open_notices();
      if (open.size() == 1 && is_too_early(event.date, *open.front()))
        return fail(Code::prompt_stale, 0, "That came before it was asked: reply in its thread.");
      if (open.size() == 1) return open.front();
      return fail(Code::invalid_param, 0,
                  open.empty() ? "Nothing is asked at the moment."
                               : "Several prompts are open: reply in the thread of the one that you mean.");
    }
    const std::string place = fmt::format("{} {}", event.channel, event.thread);
    const std::string whose = fmt::format(" {}", event.user);
    for (const auto& [key, value] : desk_.recall_all(kMessages)) {
      if (value != place || !key.ends_with(whose)) continue;
      const std::string prompt =
          key.substr(kMessages.size(), key.find(' ', kMessages.size()) - kMessages.size());
      if (const Notice* notice = desk_.find(prompt)) return notice;
      return fail(Code::prompt_stale, 0, "It is not asked any more.");
    }
    return fail(Code::prompt_not_found, 0, "This is the thread of no prompt.");
  }

  void answer(const Reply& reply, const Where& where, const std::string& user) {
    desk_.answer(reply, [this, where, user](const Result<Outcome>& outcome) {
      if (!outcome) say(where, user, outcome.error().what);
    });
  }

  Desk& desk_;
  Settings settings_;
  SlackApi bot_;
  SlackApi app_;
  SendQueue queue_;
  Backoff backoff_;
  event::Timer again_;
  std::unique_ptr<SlackSocket> socket_;
  std::unique_ptr<SlackSocket> next_;
  uint64_t sockets_ = 0;
  uint64_t listening_to_ = 0;
  bool connecting_ = false;
  bool listening_ = false;
  std::string problem_;
  std::set<std::string> seen_;  // envelopes and events
  std::deque<std::string> order_;
};

}  // namespace

Result<std::unique_ptr<Medium>> make_slack(const Place& place) {
  const config::Slack& config = place.config.channels.slack;
  auto bot = read_token({.file = config.bot_token_file,
                         .setting = "channels.slack.bot_token_file",
                         .variable = "TEND_SLACK_BOT_TOKEN"});
  if (!bot) return fail(bot);
  auto app = read_token({.file = config.app_token_file,
                         .setting = "channels.slack.app_token_file",
                         .variable = "TEND_SLACK_APP_TOKEN"});
  if (!app) return fail(app);
  return std::make_unique<Slack>(place, Slack::Settings{.api_url = config.api_url,
                                                        .bot_token = std::move(*bot),
                                                        .app_token = std::move(*app),
                                                        .users = config.allowed_users,
                                                        .timeout = place.config.channels.request_timeout,
                                                        .ca_file = place.config.channels.ca_file});
}

void check_slack(Http& http, event::Loop&, const json::object& given, Kind::Checked done) {
  const std::string url = wire::text(given, "api_url").value_or("https://slack.com/api");
  auto bot_token = given_token(given, "bot_token");
  if (!bot_token) return done(fail(bot_token));
  auto app_token = given_token(given, "app_token");
  if (!app_token) return done(fail(app_token));
  auto bot = std::make_shared<SlackApi>(http, url, std::move(*bot_token));
  auto app = std::make_shared<SlackApi>(http, url, std::move(*app_token));
  bot->call("auth.test", {}, [bot, app, done = std::move(done)](const SlackAnswer& answer) {
    if (!answer) return done(fail(Code::invalid_param, 0, answer.error().problem));
    const std::string name = fmt::format("{} in {}", text_of(*answer, "user"), text_of(*answer, "team"));
    app->call("apps.connections.open", {}, [app, name, done](const SlackAnswer& opened) {
      if (!opened) return done(fail(Code::invalid_param, 0, "the app's token: " + opened.error().problem));
      done(json::object{{"name", name}});
    });
  });
}

}  // namespace channel
