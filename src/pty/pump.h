// SPDX-License-Identifier: Apache-2.0
// Pump: moves a PTY's output into its journal, so that at every instruction each byte is in the kernel or in
// the journal and never in this process's hands alone. A read of the master would take bytes out of the
// kernel before anything says how many; so they are spliced from the master into a pipe, which the keeper
// holds open too, and read from there under the journal's intent.
//
// The caller watches the master for input and calls step(); the descriptors and the journal stay the
// caller's.
#pragma once
#include <cstddef>
#include <sys/types.h>

#include "base/result.h"
#include "pty/journal.h"

namespace pty {

struct PipeEnds {
  int read_end = -1;
  int write_end = -1;
};

class Pump {
 public:
  static constexpr size_t kMostPerStep = 64 << 10;  // a pipe's worth, which a predecessor may have left

  // Takes over from whoever pumped before, dead or alive no longer.
  Pump(int master, PipeEnds pipe, Journal& journal);

  enum class State { moved, empty, closed };
  struct Step {
    State state =
        State::empty;  // closed: no process has the slave open any more, and all output is in the journal
    size_t count = 0;
  };
  base::Result<Step> step();
  // Behind a step that has emptied a full terminal: looks for more until there is some, for some ten
  // microseconds at most. The kernel refills it meanwhile; a step into an empty one goes to sleep for that.
  void linger() const;
  static constexpr size_t kFull = 2 << 10;  // bytes of a step behind which there is more to come

 private:
  ssize_t take_from_terminal() const;

  int master_;
  PipeEnds pipe_;
  Journal& journal_;
  size_t in_pipe_ = 0;
};

}  // namespace pty
