// SPDX-License-Identifier: Apache-2.0
#include "lab/rehearsal.h"

#include <algorithm>
#include <utility>

namespace lab {

using base::Moment;

Rehearsal::Rehearsal(const detect::Settings& settings, const detect::Patterns& patterns,
                     std::function<void(detect::Evidence&)> veil)
    : veil_(std::move(veil)), screen_({80, 24}), detector_(settings, patterns) {
  detector_.taken(clock_.now());
}

void Rehearsal::prints(std::string_view bytes) {
  screen_.feed(bytes);
  detector_.output(clock_.now());
}

void Rehearsal::types(std::string_view bytes) {
  detector_.input(clock_.now(), bytes);
  // Whatever comes of it comes later.
  clock_.advance(std::chrono::microseconds(1));
}

void Rehearsal::passes(base::Duration time, const detect::Evidence& evidence) {
  const Moment end = clock_.now() + time;
  while (detector_.next() && *detector_.next() <= end) {
    clock_.advance(std::max(*detector_.next() - clock_.now(), base::Duration::zero()));
    detect::Evidence shown = evidence;
    if (veil_) veil_(shown);
    detector_.looked(clock_.now(), clock_.now(), shown, screen_);
    for (detect::Change& change : detector_.take_changes()) {
      if (change.kind == detect::Change::Kind::asked) asked_.push_back(std::move(*change.asked));
    }
  }
  clock_.advance(end - clock_.now());
}

}  // namespace lab
