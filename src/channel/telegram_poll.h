// SPDX-License-Identifier: Apache-2.0
// Poll: the one long poll for what people say. The server holds it for 30 s; what goes wrong is tried again
// later and later. Each update is handed on once, and the offset behind it is told, to be remembered.
#pragma once
#include <functional>
#include <string>

#include "base/clock.h"
#include "channel/backoff.h"
#include "channel/telegram_api.h"
#include "channel/telegram_updates.h"
#include "event/loop.h"

namespace channel {

class Poll {
 public:
  struct Calls {
    std::function<void(const Update&)> update;
    std::function<void(int64_t)> offset;  // after the updates before it
    std::function<void()> changed;        // problem() may be another now
  };

  Poll(event::Loop& loop, TelegramApi& api, Calls calls);

  // From this offset on; 0: whatever the server has kept.
  void start(int64_t offset);

  bool has_worked() const { return worked_; }
  // Why nothing comes in now; empty: it does, or has not been tried.
  const std::string& problem() const { return problem_; }

 private:
  void ask();
  void answered(const Api<boost::json::value>& result);
  void take(const boost::json::value& result);
  void fail(std::string problem, std::optional<base::Duration> wait = {});

  TelegramApi& api_;
  Calls calls_;
  base::RealClock clock_;
  Backoff backoff_;
  Backoff empty_;  // of answers that come at once with nothing: a server that does not hold the poll
  Seen seen_;
  int64_t offset_ = 0;
  int limit_ = 0;
  base::Moment asked_ = {};
  bool worked_ = false;
  std::string problem_;
  event::Timer again_;
};

}  // namespace channel
