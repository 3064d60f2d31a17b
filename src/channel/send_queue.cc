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
    const auto first = waiting_.begin() + (under_way_ || tried_ ? 1 : 0);
    const auto oldest =
        std::find_if(first, waiting_.end(), [](const Item& each) { return each.kind == Kind::fresh; });
    if (oldest == waiting_.end()) return;
    base::log::say(base::log::Level::warning, "too much waits to be sent; a message is left out");
    waiting_.erase(oldest);
  }
  waiting_.push_back(std::move(item));
  // Behind a failure everybody waits; behind somebody's pace nobody else does.
  if (!tried_) next();
}

bool SendQueue::take_back(std::string_view prompt, std::string_view user) {
  const auto first = waiting_.begin() + (!waiting_.empty() && (under_way_ || tried_) ? 1 : 0);
  const auto gone = std::remove_if(first, waiting_.end(), [&](const Item& each) {
    return each.prompt == prompt && each.user == user && each.kind == Kind::fresh;
  });
  const bool were_any = gone != waiting_.end();
  waiting_.erase(gone, waiting_.end());
  return were_any;
}

void SendQueue::next() {
  if (under_way_ || waiting_.empty()) return;
  // Somebody whose turn is later holds up nobody else.
  if (!tried_) {
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
  tried_ = under_way_ = true;
  waiting_.front().send([this](const Sent& done) { sent(done); });
}

void SendQueue::sent(const Sent& sent) {
  under_way_ = false;
  if (sent.what == Sent::What::again) {
    timer_.set_after(backoff_.failed(sent.wait));
  } else {
    tried_ = false;
    waiting_.pop_front();
    backoff_.succeeded();
  }
  told_(sent);
  if (!tried_) next();
}

}  // namespace channel
