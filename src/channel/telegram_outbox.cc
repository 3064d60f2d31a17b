// SPDX-License-Identifier: Apache-2.0
#include "channel/telegram_outbox.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace channel {

namespace json = boost::json;
using Kind = ApiProblem::Kind;

Outbox::Outbox(event::Loop& loop, TelegramApi& api, std::function<void()> changed)
    : api_(api), changed_(std::move(changed)), timer_(loop, [this] { next(); }) {}

void Outbox::send(Letter letter) {
  if (waiting_.size() >= kMost) {
    base::log::say(base::log::Level::warning, "too many messages wait; one is dropped");
    if (letter.done) letter.done(std::unexpected(ApiProblem{Kind::refused, "too many messages wait", {}}));
    return;
  }
  waiting_.push_back({.letter = std::move(letter)});
  next();
}

bool Outbox::take_back(const std::string& prompt, const std::string& user) {
  return std::erase_if(waiting_, [&](const Waiting& each) {
           return each.letter.prompt == prompt && each.letter.user == user;
         }) > 0;
}

size_t Outbox::waiting(const std::string& user) const {
  return static_cast<size_t>(std::count_if(waiting_.begin(), waiting_.end(),
                                           [&](const Waiting& each) { return each.letter.user == user; }));
}

// The first that may go. Those of somebody whose pace is reached do not hold up the others.
void Outbox::next() {
  if (busy_ || waiting_.empty()) return;
  const base::Moment now = clock_.now();
  if (now < not_before_) return timer_.set(not_before_);
  base::Moment soonest = base::Moment::max();
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (at->letter.pacing == Letter::Pacing::paced && at->tries == 0 && !pace_.take(at->letter.user, now)) {
      soonest = std::min(soonest, pace_.ready_at(at->letter.user, now));
      continue;
    }
    Waiting first = std::move(*at);
    waiting_.erase(at);
    first.tries++;
    busy_ = true;
    const std::string method = first.letter.method;
    const json::object params = first.letter.params;
    api_.call(method, params, [this, first = std::move(first)](Api<json::value> result) mutable {
      answered(std::move(first), std::move(result));
    });
    return;
  }
  if (soonest != base::Moment::max()) timer_.set(soonest);
}

void Outbox::answered(Waiting sent, Api<json::value> result) {
  busy_ = false;
  const bool again = !result && result.error().kind != Kind::refused &&
                     result.error().kind != Kind::too_large && sent.tries < kMostTries;
  if (result) backoff_.succeeded();
  set_problem(again ? result.error().text : "");
  if (!again) {
    if (!result)
      base::log::say(base::log::Level::warning, "{} came to nothing: {}", sent.letter.method,
                     result.error().text);
    if (sent.letter.done) sent.letter.done(std::move(result));
  } else {
    not_before_ = clock_.now() + backoff_.failed(result.error().wait);
    waiting_.push_front(std::move(sent));
  }
  next();
}

void Outbox::set_problem(std::string problem) {
  if (problem == problem_) return;
  problem_ = std::move(problem);
  changed_();
}

}  // namespace channel
