// SPDX-License-Identifier: Apache-2.0
// Pace: whether a reader is about as fast as what it reads. A program may wait for one that is, as it waits
// for a terminal; one that is slower would hold everybody up for as long as there is output.
#pragma once
#include <cstddef>

#include "base/clock.h"

namespace web {

class Pace {
 public:
  static constexpr std::chrono::milliseconds kTime{100};
  static constexpr size_t kLeast = 2 << 20;  // in this time: 20 MB/s

  // While there was always more to read.
  void took(size_t bytes, base::Moment now) {
    if (!busy_) begin(now);
    bytes_ += bytes;
    if (now - since_ < kTime) return;
    keeps_up_ = bytes_ >= kLeast * static_cast<size_t>((now - since_) / kTime);
    begin(now);
  }
  // There is nothing more to read.
  void caught_up() {
    busy_ = false;
    keeps_up_ = true;
  }
  bool keeps_up() const { return keeps_up_; }

 private:
  void begin(base::Moment now) {
    busy_ = true;
    since_ = now;
    bytes_ = 0;
  }

  bool busy_ = false;
  bool keeps_up_ = true;
  base::Moment since_{};
  size_t bytes_ = 0;
};

}  // namespace web
