// SPDX-License-Identifier: Apache-2.0
// Schedule: when the kernel is asked who waits. Soon after the last byte moved, then less and less often
// while the program is silent and busy, and not at all once an answer has settled.
#pragma once
#include <optional>

#include "base/clock.h"

namespace detect {

class Schedule {
 public:
  // A byte moved, or the program took input.
  void moved(base::Moment now);
  // A look was taken, and another is wanted if nothing moves.
  void looked(base::Moment now);
  // The same, and it should be taken at this time.
  void look_at(base::Moment when) { extra_ = when; }
  // No more until something moves.
  void rest() { resting_ = true; }

  std::optional<base::Moment> next() const;
  base::Moment last_move() const { return last_move_; }
  base::Duration quiet(base::Moment now) const { return now - last_move_; }

 private:
  base::Moment last_move_{};
  base::Moment next_{};
  std::optional<base::Moment> extra_;
  bool resting_ = true;
};

}  // namespace detect
