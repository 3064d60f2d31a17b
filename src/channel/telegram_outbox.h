// SPDX-License-Identifier: Apache-2.0
// Outbox: what people are to be told over the Bot API, in order, one at a time. Messages keep to each
// person's pace; what cannot be sent now is tried again, as late as the server asks for. A bound: beyond
// kMost, what comes is refused.
#pragma once
#include <boost/json/object.hpp>
#include <deque>
#include <functional>
#include <string>

#include "channel/backoff.h"
#include "channel/pace.h"
#include "channel/telegram_api.h"
#include "event/loop.h"

namespace channel {

struct Letter {
  enum class Pacing { paced, free };
  std::string user = {};
  std::string method = {};
  boost::json::object params = {};
  Pacing pacing = Pacing::free;
  std::string prompt = {};  // that it is about
  // Called once: with the result, or with a problem that trying again does not mend.
  TelegramApi::Done done = {};
};

class Outbox {
 public:
  static constexpr size_t kMost = 1000;
  static constexpr int kMostTries = 50;

  // `changed`: problem() may be another now.
  Outbox(event::Loop& loop, TelegramApi& api, std::function<void()> changed);

  void send(Letter letter);
  // Takes a letter about this prompt to this user back, if it has not gone out. False: there is none.
  bool take_back(const std::string& prompt, const std::string& user);
  // How many wait for this user.
  size_t waiting(const std::string& user) const;

  // Why nothing goes out now; empty: it does.
  const std::string& problem() const { return problem_; }

 private:
  struct Waiting {
    Letter letter;
    int tries = 0;
  };

  void next();
  void answered(Waiting sent, Api<boost::json::value> result);
  void set_problem(std::string problem);

  TelegramApi& api_;
  std::function<void()> changed_;
  base::RealClock clock_;
  Pace pace_;
  Backoff backoff_;
  std::deque<Waiting> waiting_;
  bool busy_ = false;
  base::Moment not_before_ = {};
  std::string problem_;
  event::Timer timer_;
};

}  // namespace channel
