// SPDX-License-Identifier: Apache-2.0
#include "channel/send_queue.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace channel {

SendQueue::SendQueue(event::Loop& loop, std::function<void(const Sent&)> told)
    : told_(std::move(told)), timer_(loop, [this] { next(); }) {}

void SendQueue::add(Item item) {
  if (waiting_.size() >= kMost) {
    const auto first = waiting_.begin() + (tried_ > 0 ? 1 : 0);
    const auto oldest =
        std::find_if(first, waiting_.end(), [](const Item& each) { return each.kind == Kind::fresh; });
    base::log::say(base::log::Level::warning, "too much waits to be sent; a message is left out");
    if (oldest == waiting_.end()) {
      if (item.left_out) item.left_out();
      return;
    }
    leave_out(oldest);
  }
  waiting_.push_back(std::move(item));
  next();
}

bool SendQueue::take_back(std::string_view prompt, std::string_view user) {
  const auto first = waiting_.begin() + (tried_ > 0 ? 1 : 0);
  const auto gone = std::remove_if(first, waiting_.end(), [&](const Item& each) {
    return each.prompt == prompt && each.user == user && each.kind == Kind::fresh;
  });
  const bool were_any = gone != waiting_.end();
  waiting_.erase(gone, waiting_.end());
  return were_any;
}

size_t SendQueue::waiting(std::string_view user) const {
  return static_cast<size_t>(
      std::count_if(waiting_.begin(), waiting_.end(), [&](const Item& each) { return each.user == user; }));
}

// What it calls may add to the queue.
void SendQueue::leave_out(const std::deque<Item>::iterator& item) {
  const std::function<void()> left_out = std::move(item->left_out);
  waiting_.erase(item);
  if (left_out) left_out();
}

void SendQueue::next() {
  if (under_way_ || waiting_.empty()) return;
  // Behind a failure everybody waits; behind somebody's pace nobody else does.
  if (clock_.now() < not_before_) return timer_.set(not_before_);
  // Somebody whose turn is later holds up nobody else.
  if (tried_ == 0) {
    std::optional<base::Moment> soonest;
    auto ready = waiting_.end();
    for (auto each = waiting_.begin(); each != waiting_.end() && ready == waiting_.end(); ++each) {
      const base::Moment at =
          each->kind == Kind::update ? clock_.now() : pace_.ready_at(each->user, clock_.now());
      if (at <= clock_.now())
        ready = each;
      else
        soonest = std::min(soonest.value_or(at), at);
    }
    if (ready == waiting_.end()) return timer_.set(*soonest);
    if (ready->kind == Kind::fresh) pace_.take(ready->user, clock_.now());
    if (ready != waiting_.begin()) {
      Item item = std::move(*ready);
      waiting_.erase(ready);
      waiting_.push_front(std::move(item));
    }
  }
  under_way_ = true;
  tried_++;
  waiting_.front().send([this](const Sent& done) { sent(done); });
}

void SendQueue::sent(const Sent& sent) {
  under_way_ = false;
  const bool failed = sent.what == Sent::What::again;
  if (failed)
    not_before_ = clock_.now() + backoff_.failed(sent.wait);
  else
    backoff_.succeeded();
  if (!failed) {
    tried_ = 0;
    waiting_.pop_front();
  } else if (tried_ >= kMostTries) {
    base::log::say(base::log::Level::warning, "a message is left out after {} tries: {}", tried_,
                   sent.problem);
    tried_ = 0;
    leave_out(waiting_.begin());
  }
  told_(sent);
  next();
}

}  // namespace channel
