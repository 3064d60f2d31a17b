// SPDX-License-Identifier: Apache-2.0
#include "term/guard_state.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace term::guard {
namespace {

// Small: mostly the actions to put back, and about a hundred bytes of what the scanner remembers.
static_assert(sizeof(State) <= 656);

constexpr int kHandlerWaitMs = 1000;
constexpr int kWriteWaitMs = 500;
constexpr long kLookAgainNs = 200'000'000;

bool try_lock() { return !state().locked.exchange(true, std::memory_order_acquire); }
void unlock() { state().locked.store(false, std::memory_order_release); }

// A few hundred bytes at most. With a description of our own the write cannot block; without, small pieces go
// out as long as poll promises room.
void write_undo(Patience patience) {
  std::array<char, Leftovers::kMostBytes> bytes;
  const size_t size = state().leftovers.undo(bytes);
  const bool own = state().output_fd >= 0;
  const int fd = own ? state().output_fd : state().fd;
  size_t done = 0;
  while (done < size) {
    pollfd room{fd, POLLOUT, 0};
    if (::poll(&room, 1, patience == Patience::some ? kWriteWaitMs : 0) <= 0) return;
    const size_t piece = own ? size - done : std::min<size_t>(size - done, 64);
    const ssize_t n = ::write(fd, bytes.data() + done, piece);
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

bool set_modes(int when, const termios& modes) {
  int result;
  do result = ::tcsetattr(state().fd, when, &modes);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

State& state() {
  static constinit State the_one;
  return the_one;
}

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  for (const int signo : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTTOU, SIGTTIN}) sigdelset(&all, signo);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

ThreadLock::ThreadLock() {
  while (state().waiting.load(std::memory_order_relaxed) > 0 || !try_lock()) ::poll(nullptr, 0, 1);
}

ThreadLock::~ThreadLock() { unlock(); }

HandlerLock::HandlerLock(Wait wait) : taken_(try_lock()) {
  if (taken_) return;
  state().waiting.fetch_add(1, std::memory_order_relaxed);
  for (int ms = 0; !taken_ && (wait == Wait::as_needed || ms < kHandlerWaitMs); ms++) {
    ::poll(nullptr, 0, 1);
    taken_ = try_lock();
  }
  state().waiting.fetch_sub(1, std::memory_order_relaxed);
}

void HandlerLock::release() {
  if (taken_) unlock();
  taken_ = false;
}

// A terminal that is not our controlling one knows no foreground; there is nobody to disturb.
bool in_foreground(int fd) {
  const pid_t group = ::tcgetpgrp(fd);
  return group < 0 ? errno == ENOTTY : group == ::getpgrp();
}

void recall() {
  if (state().recall != nullptr) state().recall(state().recalled);
}

bool step_aside(Patience patience) {
  State& held = state();
  recall();
  if (!held.raw.exchange(false, std::memory_order_acq_rel) || !in_foreground(held.fd)) return true;
  write_undo(patience);
  held.leftovers.park();
  return set_modes(patience == Patience::some ? TCSADRAIN : TCSANOW, held.original);
}

bool make_raw(int when) {
  termios modes = state().original;
  modes.c_iflag &=
      ~static_cast<tcflag_t>(IGNBRK | BRKINT | PARMRK | INPCK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  modes.c_cflag = (modes.c_cflag & ~static_cast<tcflag_t>(CSIZE | PARENB)) | CS8;
  modes.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  modes.c_cc[VMIN] = 1;  // 0 would make "nothing yet" look like a hang-up
  modes.c_cc[VTIME] = 0;
  // Before the change: a handler that finds it true too early only restores what is there.
  state().raw.store(true, std::memory_order_release);
  if (set_modes(when, modes)) return true;
  state().raw.store(false, std::memory_order_release);
  return false;
}

void wake(unsigned events) {
  state().events.fetch_or(events, std::memory_order_acq_rel);
  const uint64_t one = 1;
  // It fails only when it is full, and then the loop has not looked yet.
  static_cast<void>(!::write(state().wake_fd, &one, sizeof one));
}

void come_back() {
  State& held = state();
  if (!is_owner(::getpid()) || held.stopping.load(std::memory_order_acquire)) return;
  // One that has gone is nobody's: whoever reads it sees the end.
  const bool gone = ::tcgetpgrp(held.fd) < 0 && errno == EIO;
  if (gone) held.raw.store(true, std::memory_order_release);
  const bool ours = gone || (in_foreground(held.fd) && make_raw(TCSANOW));
  const timespec again{.tv_sec = 0, .tv_nsec = ours ? 0 : kLookAgainNs};
  const itimerspec timer{.it_interval = again, .it_value = again};
  ::timerfd_settime(held.timer_fd, 0, &timer, nullptr);
  if (ours)
    wake(kResized | kContinued);
  else
    held.raw.store(false, std::memory_order_release);
}

}  // namespace term::guard
