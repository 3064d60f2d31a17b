// SPDX-License-Identifier: Apache-2.0
// RawMode: the user's terminal in raw mode, and back to what it was on every way out: leave(), the
// destructor, exit, a fatal signal, a suspend. A process holds one terminal at a time: further objects on the
// same device, through whatever descriptor, count, and the last one to leave restores; another device is
// refused. While entered, signal handlers and an atexit function of this room are in place; they chain to
// what was there before and respect inherited SIG_IGN. Only kill -9 leaves a raw terminal: `reset` is the
// cure.
//
// All functions may be called from any thread. A forked child never touches its parent's terminal.
#pragma once
#include <atomic>

#include "base/result.h"
#include "term/leftovers.h"

namespace term {

// What happened since the last look.
struct Events {
  bool resized = false;    // ask window_size() again
  bool continued = false;  // the terminal is ours and raw again after a stop: draw everything again
};

class RawMode {
 public:
  // Looks, changes nothing. Fails when the descriptor is not a terminal. The descriptor stays the caller's
  // and may be closed at any time after enter(), which keeps a copy.
  [[nodiscard]] static base::Result<RawMode> open(int fd);

  RawMode(RawMode&& other) noexcept;
  RawMode& operator=(RawMode&& other) noexcept;
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;
  ~RawMode();

  // Both are idempotent. What was typed ahead is kept. In the background, entering stops the process as for
  // any program that wants the terminal, until the shell brings it forward; it fails where no shell can.
  [[nodiscard]] base::Result<void> enter();
  base::Result<void> leave();

  bool entered() const;

  // Entered, and the terminal is in our hands now. After a suspend and `bg` it is not: then neither read nor
  // write it, until take_events() says continued.
  bool holds_terminal() const;

  // While entered, for a poll loop: readable when take_events() has something to do. In the background it
  // wakes by itself every now and then, because `fg` of a running job sends no signal.
  int events_fd() const;
  Events take_events();

  // Stops the process group, as Ctrl-Z in a cooked terminal would, with the terminal restored meanwhile.
  // Nothing happens where no shell could continue it (an orphaned process group, SIGTSTP ignored).
  void suspend();

  // For a terminal that somebody else may be at, on this process's behalf. The function has returned only
  // when they are not any more; it is called before the terminal is given back on any way out, and by
  // recall(), and never twice at a time. It may be called in a signal handler. Null: nobody is.
  using Recall = void (*)(void* context) noexcept;
  void on_recall(Recall function, void* context);
  void recall();

  // What the program inside has left on. Feed it all output on its way to the terminal; whatever is on when
  // the terminal is given back is undone first.
  Leftovers& leftovers();

 private:
  explicit RawMode(int fd) : fd_(fd) {}

  int fd_ = -1;
  std::atomic<bool> entered_ = false;  // changes under the guard's lock
};

}  // namespace term
