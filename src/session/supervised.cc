// SPDX-License-Identifier: Apache-2.0
#include "session/supervised.h"

#include <utility>

#include "base/log.h"

namespace session {

Supervised::Supervised(event::Loop& loop, const config::Supervision& settings, std::string name, Calls calls)
    : settings_(settings),
      name_(std::move(name)),
      calls_(std::move(calls)),
      timer_(loop, [this] { on_time(); }) {}

void Supervised::due() {
  if (phase_ != Phase::idle) return;
  phase_ = Phase::due;
  timer_.set_after(settings_.task_timeout);
}

void Supervised::went() {
  if (phase_ == Phase::due) rest();
  restarts_ = 0;
}

void Supervised::rest() {
  if (phase_ == Phase::given_up || phase_ == Phase::idle) return;
  phase_ = Phase::idle;
  timer_.cancel();
}

void Supervised::on_time() {
  if (phase_ == Phase::cancelled) {
    phase_ = Phase::idle;
    restarts_++;
    return calls_.restart();
  }
  if (phase_ != Phase::due) return;
  const bool last = restarts_ >= settings_.max_task_restarts;
  base::log::say(base::log::Level::error, "{} made no progress for {} s and is {}", name_,
                 settings_.task_timeout.count(), last ? "given up" : "started again");
  phase_ = last ? Phase::given_up : Phase::cancelled;
  if (!last) timer_.set_after(settings_.restart_delay);
  calls_.cancel();
  if (last) calls_.give_up();
}

}  // namespace session
