// SPDX-License-Identifier: Apache-2.0
// Slip: what a scenario and its program pass to each other beside the terminal: a file in memory, that the
// program opens by its path. Nothing of it is left when this process ends, however it does.
#pragma once
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"

namespace lab {

class Slip {
 public:
  Slip();

  // As long as this lives.
  std::string path() const;

  // A gate: `until [ -s "$1" ]; do :; done` in a shell goes on when it is opened.
  void open_gate();

  // What stamp_time() wrote, in its order.
  std::vector<base::Moment> times() const;

 private:
  base::Fd file_;
};

// In the program: the time of now, behind those that are on the slip already.
bool stamp_time(const std::string& path);
// Waits until it is open; false if there is no such slip any more.
bool await_gate(const std::string& path);

}  // namespace lab
