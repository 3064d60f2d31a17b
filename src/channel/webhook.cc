// SPDX-License-Identifier: Apache-2.0
#include "channel/webhook.h"

#include <ctime>
#include <fmt/format.h>
#include <utility>

#include "base/ids.h"
#include "base/log.h"
#include "channel/answer_server.h"
#include "channel/send_queue.h"
#include "channel/token.h"
#include "channel/webhook_text.h"
#include "wire/params.h"

namespace channel {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = boost::json;

constexpr size_t kLeastKey = 16;
constexpr std::string_view kWho = "webhook";

std::string shown_key(const std::string& prompt) { return "webhook shown " + prompt; }

// What an answer of the other side means for the queue.
SendQueue::Sent sent_of(const Result<HttpResponse>& response, const std::string& host) {
  using What = SendQueue::Sent::What;
  if (!response) return {.what = What::again, .wait = {}, .problem = response.error().message()};
  if (response->status >= 200 && response->status < 300) return {};
  const std::string problem = fmt::format("{} answers with {}", host, response->status);
  if (response->status == 429 || response->status >= 500)
    return {.what = What::again, .wait = response->retry_after, .problem = problem};
  return {.what = What::never, .wait = {}, .problem = problem};
}

struct Settings {
  std::string url;
  std::string key;
  std::optional<std::string> listen;
  std::optional<std::string> answer_base;
  WebhookFormat format = WebhookFormat::json;
};

class Webhook final : public Medium {
 public:
  Webhook(const Place& place, Settings settings)
      : desk_(place.desk),
        http_(place.http),
        settings_(std::move(settings)),
        queue_(place.desk.loop(), [this](const SendQueue::Sent& sent) { told(sent); }) {}

  void start() override {
    if (!settings_.listen)
      return set_health({Health::State::good, "events are posted; answers are not taken"});
    auto server = AnswerServer::open(
        desk_.loop(), *settings_.listen,
        [this](const ServerRequest& request, AnswerServer::Done done) { answer(request, std::move(done)); });
    if (!server) return set_health({Health::State::troubled, server.error().message()});
    server_ = std::move(*server);
    base_ = settings_.answer_base.value_or(fmt::format(
        "http://{}:{}", settings_.listen->substr(0, settings_.listen->rfind(':')), server_->port()));
    set_health({Health::State::good, "answers come to " + base_});
  }

  void show(const Notice& notice) override {
    if (desk_.recall(shown_key(notice.prompt))) return;
    std::string url;
    if (server_ && desk_.may_answer(notice))
      url = answer_url(
          base_, settings_.key,
          {.prompt = notice.prompt, .nonce = notice.nonce, .expires = notice.expires_at / 1'000'000});
    post(asked_post(notice, url, settings_.format), notice.prompt, SendQueue::Kind::fresh,
         [this, prompt = notice.prompt] { desk_.remember(shown_key(prompt), "1", prompt); });
  }

  void change(const Notice& notice, const Ending& ending) override {
    // Nobody needs to hear of the end of what nobody has heard of.
    if (queue_.take_back(notice.prompt, kWho)) return desk_.finished(notice.prompt);
    post(ended_post(notice, ending, settings_.format), notice.prompt, SendQueue::Kind::update,
         [this, prompt = notice.prompt] { desk_.finished(prompt); });
  }

  Health health() const override { return health_; }

  void test(Tested done) override {
    send(test_post(settings_.format), base::new_id(), [done = std::move(done)](const SendQueue::Sent& sent) {
      if (sent.what != SendQueue::Sent::What::done) return done(fail(Code::internal, 0, sent.problem));
      done("a test was posted");
    });
  }

 private:
  void send(const Post& post, const std::string& delivery, const SendQueue::Then& then) {
    HttpRequest request{.url = settings_.url,
                        .method = "POST",
                        .headers = signed_headers(post, settings_.key, std::time(nullptr), delivery),
                        .body = post.body,
                        .more_time = {}};
    http_.send(std::move(request),
               [then, host = host_of(settings_.url)](const Result<HttpResponse>& response) {
                 then(sent_of(response, host));
               });
  }

  // The same delivery however often it is tried: whoever gets it twice can know.
  void post(Post post, const std::string& prompt, SendQueue::Kind kind, const std::function<void()>& done) {
    queue_.add(
        {.prompt = prompt,
         .user = std::string(kWho),
         .kind = kind,
         .send =
             [this, post = std::move(post), delivery = base::new_id(), done](const SendQueue::Then& then) {
               send(post, delivery, [then, done](const SendQueue::Sent& sent) {
                 if (sent.what != SendQueue::Sent::What::again) done();
                 then(sent);
               });
             },
         .left_out = done});
  }

  void told(const SendQueue::Sent& sent) {
    if (sent.what == SendQueue::Sent::What::done)
      return set_health({Health::State::good,
                         server_ ? "answers come to " + base_ : "events are posted; answers are not taken"});
    set_health({Health::State::troubled, sent.problem});
  }

  void set_health(Health health) {
    if (health == health_) return;
    health_ = std::move(health);
    desk_.report();
  }

  void answer(const ServerRequest& request, AnswerServer::Done done) {
    const auto target = read_target(request.target);
    if (!target) return done({.status = 404, .body = "there is nothing here\n"});
    // Programs that show links follow them: looking at one answers nothing.
    if (request.method != "POST") return done({.status = 405, .body = "post the answer\n"});
    const Notice* notice = desk_.find(target->prompt);
    const int64_t now = std::time(nullptr);
    // The same words for one that is wrong and one that is over: nothing can be tried out.
    if (notice == nullptr || !is_good(*target, *notice)) {
      desk_.refused(std::string(kWho), "an answer by a URL that is not good");
      return done({.status = 403, .body = "the URL is not good, or not any more\n"});
    }
    if (now >= target->expires) return done({.status = 410, .body = "the prompt has expired\n"});
    auto reply = read_reply(target->query, request.content_type, request.body);
    if (!reply) return done({.status = 400, .body = reply.error().what + "\n"});
    reply->prompt = notice->prompt;
    reply->nonce = notice->nonce;
    reply->who = kWho;
    desk_.answer(*reply, [done = std::move(done)](const Result<Outcome>& outcome) {
      if (outcome)
        return done({.status = 200,
                     .body = outcome->outcome.empty() ? outcome->state + "\n" : outcome->outcome + "\n"});
      const bool late = outcome.error().code == Code::prompt_stale;
      const bool wrong = outcome.error().code == Code::invalid_param;
      done({.status = late ? 409 : wrong ? 400 : 503, .body = outcome.error().what + "\n"});
    });
  }

  bool is_good(const AnswerTarget& target, const Notice& notice) const {
    const AnswerTicket ticket{.prompt = notice.prompt, .nonce = notice.nonce, .expires = target.expires};
    return is_same(target.signature, ticket_signature(settings_.key, ticket)) && desk_.may_answer(notice);
  }

  Desk& desk_;
  Http& http_;
  Settings settings_;
  std::unique_ptr<AnswerServer> server_;
  std::string base_;
  Health health_;
  SendQueue queue_;
};

}  // namespace

Result<std::unique_ptr<Medium>> make_webhook(const Place& place) {
  const config::Webhook& config = place.config.channels.webhook;
  if (!config.url) return fail(Code::invalid_param, 0, "there is no address: set channels.webhook.url");
  auto key = read_token({.file = config.secret_file,
                         .setting = "channels.webhook.secret_file",
                         .variable = "TEND_WEBHOOK_SECRET"});
  if (!key) return fail(key);
  if (key->size() < kLeastKey)
    return fail(Code::invalid_param, 0,
                fmt::format("the webhook's key needs {} characters at least", kLeastKey));
  return std::make_unique<Webhook>(
      place, Settings{.url = *config.url,
                      .key = std::move(*key),
                      .listen = config.listen,
                      .answer_base = config.answer_url,
                      .format = config.format == config::WebhookFormat::text ? WebhookFormat::text
                                                                             : WebhookFormat::json});
}

void check_webhook(Http& http, event::Loop&, const json::object& given, Kind::Checked done) {
  const std::string url = wire::text(given, "url").value_or("");
  auto key = given_token(given, "secret");
  if (!key) return done(fail(key));
  if (key->size() < kLeastKey)
    return done(fail(Code::invalid_param, 0, fmt::format("the key needs {} characters at least", kLeastKey)));
  const Post post = test_post(WebhookFormat::json);
  HttpRequest request{.url = url,
                      .method = "POST",
                      .headers = signed_headers(post, *key, std::time(nullptr), base::new_id()),
                      .body = post.body,
                      .more_time = {}};
  http.send(std::move(request),
            [done = std::move(done), host = host_of(url)](const Result<HttpResponse>& response) {
              const SendQueue::Sent sent = sent_of(response, host);
              if (sent.what != SendQueue::Sent::What::done)
                return done(fail(Code::internal, 0, sent.problem));
              done(json::object{{"name", host}});
            });
}

}  // namespace channel
