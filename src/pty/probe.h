// SPDX-License-Identifier: Apache-2.0
// Probe: asks the kernel whether somebody waits for a terminal's input. It looks at the processes of the
// foreground group, found by walking down from the terminal's first process, thread by thread, and at nothing
// else of the system. Meant for an ancestor of these processes: others are refused on many systems.
//
// A look changes nothing and keeps nothing: no descriptor stays open, no process is stopped. It takes 0.05 to
// 1 ms and is bounded: 256 processes, 1024 threads, then the verdict is `unknown`.
#pragma once
#include <sys/types.h>

#include "pty/look.h"

namespace pty {

class Probe {
 public:
  // `master` stays the caller's; `first` is the program that was started on its terminal.
  Probe(int master, pid_t first) : master_(master), first_(first) {}

  Look look() const;

 private:
  int master_;
  pid_t first_;
};

}  // namespace pty
