// SPDX-License-Identifier: Apache-2.0
#include "term/raw_mode.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

#include "base/fd.h"
#include "term/guard_state.h"

namespace term {
namespace {

using base::Code;
using base::fail;
using guard::Patience;
using guard::state;

// The terminal behind the descriptor: the same number for /dev/tty and for the device it stands for.
base::Result<unsigned> device_of(int fd) {
  unsigned device = 0;
  if (::isatty(fd) == 0) return fail(Code::invalid_param, errno, "not a terminal");
  if (::ioctl(fd, TIOCGDEV, &device) != 0) return fail(Code::internal, errno, "cannot identify the terminal");
  return device;
}

// Lets the kernel do what it does to a background process that wants the terminal: stop it until it is
// brought forward. Only then is what tcgetattr says ours to save, and not the modes of whoever is in front.
base::Result<void> await_foreground(int fd) {
  while (::tcdrain(fd) != 0)
    if (errno != EINTR) return fail(Code::invalid_param, errno, "cannot have the terminal");
  if (!guard::in_foreground(fd))
    return fail(Code::invalid_param, 0, "another program has the terminal: this one runs in the background");
  return {};
}

// The same terminal with a description of its own, so that it alone is nonblocking.
base::Fd open_again(int fd, unsigned device) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  base::Fd again(::open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!again || device_of(again.get()) != device) return {};
  return again;
}

void close_descriptors() {
  guard::State& held = state();
  base::Fd(held.events_fd.exchange(-1)).reset();
  for (int* fd : {&held.fd, &held.output_fd, &held.wake_fd, &held.timer_fd})
    base::Fd(std::exchange(*fd, -1)).reset();
}

base::Result<void> let_go() {
  guard::State& held = state();
  const bool restored = guard::step_aside(Patience::some);
  const int why = errno;
  held.leftovers.clear();
  held.recall = nullptr;
  held.entered = 0;
  held.owner.store(0, std::memory_order_release);
  guard::remove_handlers();
  close_descriptors();
  if (!restored) return fail(Code::internal, why, "cannot restore the terminal");
  return {};
}

struct EventSources {
  base::Fd both;
  base::Fd wake;
  base::Fd timer;
};

base::Result<EventSources> make_event_sources() {
  EventSources made{.both = base::Fd(::epoll_create1(EPOLL_CLOEXEC)),
                    .wake = base::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
                    .timer = base::Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))};
  for (const int fd : {made.wake.get(), made.timer.get()}) {
    epoll_event readable{.events = EPOLLIN, .data = {.fd = fd}};
    if (::epoll_ctl(made.both.get(), EPOLL_CTL_ADD, fd, &readable) != 0)
      return fail(Code::internal, errno, "cannot watch for signals");
  }
  return made;
}

// Nothing to read is no news: the caller may look without having waited.
void drain(int fd) {
  uint64_t ticks = 0;
  static_cast<void>(!::read(fd, &ticks, sizeof ticks));
}

void at_exit() {
  if (!guard::is_owner(::getpid())) return;
  const guard::ThreadLock lock;
  if (guard::is_owner(::getpid())) static_cast<void>(let_go());
}

base::Result<void> take_hold(int fd, unsigned device) {
  static const int registered = std::atexit(at_exit);
  if (registered != 0) return fail(Code::internal, 0, "cannot register for the exit");
  guard::State& held = state();
  auto copy = base::duplicate(fd);
  if (!copy) return fail(copy);
  auto events = make_event_sources();
  if (!events) return fail(events);
  if (::tcgetattr(fd, &held.original) != 0)
    return fail(Code::internal, errno, "cannot read the terminal's modes");
  base::Fd output = open_again(fd, device);
  if (auto installed = guard::install_handlers(); !installed) return installed;
  held.leftovers.clear();
  held.events.store(0, std::memory_order_relaxed);
  held.device = device;
  held.fd = copy->release();
  held.output_fd = output.release();
  held.events_fd = events->both.release();
  held.wake_fd = events->wake.release();
  held.timer_fd = events->timer.release();
  held.owner.store(::getpid(), std::memory_order_release);
  if (guard::make_raw(TCSADRAIN)) return {};
  const int why = errno;
  static_cast<void>(let_go());
  return fail(Code::internal, why, "cannot set the terminal's modes");
}

}  // namespace

base::Result<RawMode> RawMode::open(int fd) {
  if (auto device = device_of(fd); !device) return fail(device);
  return RawMode(fd);
}

RawMode::RawMode(RawMode&& other) noexcept { *this = std::move(other); }

RawMode& RawMode::operator=(RawMode&& other) noexcept {
  if (this == &other) return *this;
  static_cast<void>(leave());
  const guard::ThreadLock lock;
  fd_ = std::exchange(other.fd_, -1);
  entered_ = other.entered_.exchange(false);
  return *this;
}

RawMode::~RawMode() { static_cast<void>(leave()); }

base::Result<void> RawMode::enter() {
  auto device = device_of(fd_);
  if (!device) return fail(device);
  const pid_t owner = state().owner.load(std::memory_order_acquire);
  if (owner != 0 && owner != ::getpid())
    return fail(Code::invalid_param, 0, "the process that forked this one has the terminal");
  if (owner == 0) {
    if (auto ready = await_foreground(fd_); !ready) return ready;
  }
  const guard::ThreadLock lock;
  guard::State& held = state();
  if (entered_) return {};
  if (held.entered == 0) {
    if (auto taken = take_hold(fd_, *device); !taken) return taken;
  } else if (held.device != *device) {
    return fail(Code::invalid_param, 0, "this process already has another terminal in raw mode");
  }
  held.entered++;
  entered_ = true;
  return {};
}

base::Result<void> RawMode::leave() {
  if (!guard::is_owner(::getpid())) return {};
  const guard::ThreadLock lock;
  if (!entered_.exchange(false) || state().entered == 0) return {};
  if (--state().entered > 0) return {};
  return let_go();
}

bool RawMode::entered() const { return entered_ && guard::is_owner(::getpid()); }

bool RawMode::holds_terminal() const { return entered() && state().raw.load(std::memory_order_acquire); }

int RawMode::events_fd() const { return entered() ? state().events_fd.load() : -1; }

Events RawMode::take_events() {
  if (!guard::is_owner(::getpid())) return {};
  const guard::ThreadLock lock;
  if (!entered_) return {};
  drain(state().wake_fd);
  drain(state().timer_fd);
  if (!state().raw.load(std::memory_order_acquire)) guard::come_back();
  const unsigned events = state().events.exchange(0, std::memory_order_acq_rel);
  return {.resized = (events & guard::kResized) != 0, .continued = (events & guard::kContinued) != 0};
}

void RawMode::suspend() { ::kill(0, SIGTSTP); }

void RawMode::on_recall(Recall function, void* context) {
  const guard::ThreadLock lock;
  state().recall = function;
  state().recalled = context;
}

void RawMode::recall() {
  const guard::ThreadLock lock;
  guard::recall();
}

Leftovers& RawMode::leftovers() { return state().leftovers; }

}  // namespace term
