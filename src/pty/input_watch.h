// SPDX-License-Identifier: Apache-2.0
// InputWatch: whether somebody has read from a terminal since this was made. The kernel notes every read of
// the slave that gives something; that it says so is certain, also when the reader has ended meanwhile.
#pragma once
#include "base/fd.h"
#include "base/result.h"

namespace pty {

class InputWatch {
 public:
  static base::Result<InputWatch> begin(int master);

  // True from the first read on.
  bool was_read();

 private:
  explicit InputWatch(base::Fd events) : events_(std::move(events)) {}
  base::Fd events_;
  bool read_ = false;
};

}  // namespace pty
