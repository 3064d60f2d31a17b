// SPDX-License-Identifier: Apache-2.0
// SendQueue: what a medium has to say, one message after the other, so that nobody hears of an end before the
// beginning. What fails is tried again after a pause, or as late as the other side asks for, and given up
// after kMostTries, so that one that nobody takes holds up the others no longer; new messages keep to the
// pace of each user. It is bounded: at the bound the oldest that says of no end is left out.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "channel/backoff.h"
#include "channel/pace.h"
#include "event/loop.h"

namespace channel {

class SendQueue {
 public:
  static constexpr size_t kMost = 1000;
  static constexpr int kMostTries = 50;

  // What came of sending.
  struct Sent {
    enum class What { done, again, never } what = What::done;
    std::optional<base::Duration> wait = {};  // what the other side asks for
    std::string problem = {};                 // for a person, unless it is done
  };
  using Then = std::function<void(Sent)>;

  enum class Kind { fresh, update };  // updates are not paced
  struct Item {
    std::string prompt;
    std::string user;
    Kind kind = Kind::fresh;
    std::function<void(Then)> send;       // calls back once, never before it returns
    std::function<void()> left_out = {};  // it is given up: there was no room, or it has failed too often
  };

  // `told`: how the last try went.
  SendQueue(event::Loop& loop, std::function<void(const Sent& sent)> told);

  void add(Item item);
  // Those for this prompt and user that have not been tried yet; whether there were any.
  bool take_back(std::string_view prompt, std::string_view user);
  size_t size() const { return waiting_.size(); }
  // How many wait for this user.
  size_t waiting(std::string_view user) const;

 private:
  void leave_out(const std::deque<Item>::iterator& item);
  void next();
  void sent(const Sent& sent);

  std::function<void(const Sent&)> told_;
  std::deque<Item> waiting_;
  bool under_way_ = false;
  int tried_ = 0;  // how often the first one was: it may have arrived
  base::Moment not_before_{};
  Backoff backoff_;
  Pace pace_;
  base::RealClock clock_;
  event::Timer timer_;
};

}  // namespace channel
