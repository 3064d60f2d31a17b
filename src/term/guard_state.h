// SPDX-License-Identifier: Apache-2.0
// What signal handlers know about the terminal that RawMode holds: one small block of static storage, because
// a handler may still look at it while another thread leaves. Internal to this room.
//
// One lock guards it, a word that handlers can take too: threads take it with signals blocked, so a handler
// never waits for the thread it interrupted. Only a fault can strike inside; so the handlers of what ends the
// process wait a bounded time and then go on, since saving the terminal comes first. Handlers go before
// threads. `owner` is read without the lock: in a forked child it may be held by nobody.
#pragma once
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <sys/types.h>
#include <termios.h>

#include "base/result.h"
#include "term/leftovers.h"

namespace term::guard {

constexpr unsigned kResized = 1;
constexpr unsigned kContinued = 2;

// In the order of installing. SEGV to ILL are faults; the last three do not end the process.
constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT, SIGHUP,  SIGQUIT,
                                 SIGPIPE, SIGINT, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH};

// A struct sigaction without its 128-byte mask.
struct Action {
  uintptr_t handler = 0;
  uint64_t mask = 0;  // bit n-1 is signal n
  int flags = 0;
  bool installed = false;  // ours stands in its place
};

struct State {
  std::atomic<bool> locked{false};
  std::atomic<unsigned> waiting{0};   // handlers that want the lock
  std::atomic<bool> stopping{false};  // a SIGTSTP handler is between stepping aside and coming back
  std::atomic<bool> raw{false};       // the terminal is raw by our hand now
  std::atomic<pid_t> owner{0};        // 0: no terminal is held
  std::atomic<unsigned> events{0};
  unsigned entered = 0;
  unsigned device = 0;
  int fd = -1;                     // a copy of the caller's
  int output_fd = -1;              // the same terminal opened anew, nonblocking; -1 where that is not allowed
  std::atomic<int> events_fd{-1};  // an epoll of the next two, for the loop to watch
  int wake_fd = -1;                // an eventfd, written by handlers
  int timer_fd = -1;               // runs while the terminal is not ours
  termios original{};
  std::array<Action, kSignals.size()> previous{};
  Leftovers leftovers;
  void (*recall)(void*) noexcept = nullptr;  // whoever else may be at the terminal
  void* recalled = nullptr;
};

State& state();

inline bool is_owner(pid_t pid) { return state().owner.load(std::memory_order_acquire) == pid; }

// Blocks every signal that a handler of ours could take, but the faults, which a blocked mask turns into
// instant death, and SIGTTOU, whose blocking would let a background process change the terminal.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

class ThreadLock {
 public:
  ThreadLock();
  ~ThreadLock();
  ThreadLock(const ThreadLock&) = delete;
  ThreadLock& operator=(const ThreadLock&) = delete;

 private:
  SignalsBlocked blocked_;
};

enum class Wait { bounded, as_needed };

class HandlerLock {
 public:
  explicit HandlerLock(Wait wait);
  ~HandlerLock() { release(); }
  HandlerLock(const HandlerLock&) = delete;
  HandlerLock& operator=(const HandlerLock&) = delete;
  void release();
  void keep() { taken_ = false; }  // for ever: the process is about to end

 private:
  bool taken_;
};

// The rest wants the lock held.

// Nobody but this process is at the terminal afterwards.
void recall();

enum class Patience { none, some };

bool in_foreground(int fd);

// Gives the terminal back as it was: leftovers undone, modes restored; not in the background, where it is
// somebody else's. With no patience it never blocks. False when the terminal refused.
bool step_aside(Patience patience);

// Raw again, or waiting for the foreground; tells the loop. Nothing while a handler stops the process: that
// one comes back by itself.
void come_back();

// Makes the loop look.
void wake(unsigned events);

bool make_raw(int when);

base::Result<void> install_handlers();
void remove_handlers();

}  // namespace term::guard
