// SPDX-License-Identifier: Apache-2.0
// Supervised: a part of a PTY's service that must go on: its reader, its writer, its probe, its gate for
// answers. The owner says when something is due and when it has happened. What is due for too long is
// cancelled and, after a pause, started again; after so many times in a row it is given up. No timer runs
// while nothing is due.
//
// The daemon has one thread, so that a part cannot hang by itself: what stalls is what it waits for (a
// keeper, the store, a terminal that can be neither read nor written). A program that does not read its input
// is no stall: then nothing is due.
#pragma once
#include <functional>
#include <string>

#include "base/clock.h"
#include "config/config.h"
#include "event/loop.h"

namespace session {

class Supervised {
 public:
  struct Calls {
    std::function<void()> cancel;   // nothing of it may be under way afterwards
    std::function<void()> restart;  // may say that something is due at once
    std::function<void()> give_up;
  };

  Supervised(event::Loop& loop, const config::Supervision& settings, std::string name, Calls calls);

  void due();   // from now on, if it is not already
  void went();  // what was due has happened: earlier restarts count no more
  void rest();  // nothing is due any more, and nothing is said of earlier restarts

  bool is_given_up() const { return phase_ == Phase::given_up; }
  bool is_cancelled() const { return phase_ == Phase::cancelled || is_given_up(); }

 private:
  enum class Phase { idle, due, cancelled, given_up };
  void on_time();

  config::Supervision settings_;
  std::string name_;
  Calls calls_;
  Phase phase_ = Phase::idle;
  int restarts_ = 0;
  event::Timer timer_;
};

}  // namespace session
