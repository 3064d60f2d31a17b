// SPDX-License-Identifier: Apache-2.0
// Signals: those that a runner hears, as something to poll for. They are blocked for as long as it lives.
#pragma once
#include "base/fd.h"
#include "base/result.h"

namespace loop {

// What somebody wants of the loop. What comes later here is more urgent.
enum class Wish { none, stop, interrupt, kill };

class Signals {
 public:
  static base::Result<Signals> block();

  int fd() const { return fd_.get(); }
  struct Heard {
    Wish wish = Wish::none;
    bool child = false;  // one has ended
  };
  Heard take();

 private:
  explicit Signals(base::Fd fd) : fd_(std::move(fd)) {}
  base::Fd fd_;
};

}  // namespace loop
