// SPDX-License-Identifier: Apache-2.0
// The handlers. Only async-signal-safe calls, no lock but the guard's own, errno kept.
#include <algorithm>
#include <cerrno>
#include <pthread.h>
#include <unistd.h>

#include "term/guard_state.h"

namespace term::guard {
namespace {

using Handler = void (*)(int, siginfo_t*, void*);
using PlainHandler = void (*)(int);

constexpr uintptr_t kDefault = 0;  // SIG_DFL
constexpr int kLastSignal = 64;

// So that a stack overflow can be handled. For the thread that enters; one at a time does.
alignas(16) char handler_stack[64 * 1024];

size_t index_of(int signo) {
  return static_cast<size_t>(std::ranges::find(kSignals, signo) - kSignals.begin());
}

Action pack(const struct sigaction& action) {
  Action packed;
  packed.handler = (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<uintptr_t>(action.sa_sigaction)
                                                       : reinterpret_cast<uintptr_t>(action.sa_handler);
  packed.flags = action.sa_flags;
  for (int signo = 1; signo <= kLastSignal; signo++)
    if (sigismember(&action.sa_mask, signo) == 1) packed.mask |= uint64_t{1} << (signo - 1);
  return packed;
}

struct sigaction unpack(const Action& packed) {
  struct sigaction action{};
  action.sa_flags = packed.flags;
  if ((packed.flags & SA_SIGINFO) != 0)
    action.sa_sigaction = reinterpret_cast<Handler>(packed.handler);
  else
    action.sa_handler = reinterpret_cast<PlainHandler>(packed.handler);
  sigemptyset(&action.sa_mask);
  for (int signo = 1; signo <= kLastSignal; signo++)
    if ((packed.mask >> (signo - 1) & 1) != 0) sigaddset(&action.sa_mask, signo);
  return action;
}

bool is_handler(const Action& action) {
  return action.handler != kDefault && action.handler != reinterpret_cast<uintptr_t>(SIG_IGN);
}

void call(const Action& action, int signo, siginfo_t* info, void* context) {
  if (!is_handler(action)) return;
  if ((action.flags & SA_SIGINFO) != 0)
    reinterpret_cast<Handler>(action.handler)(signo, info, context);
  else
    reinterpret_cast<PlainHandler>(action.handler)(signo);
}

void set_default(int signo, struct sigaction* ours) {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(signo, &action, ours);
}

// What the kernel does by itself, as if we had never been here. Returns after a stop, or where the kernel
// discards the signal: a stop in an orphaned process group, anything for the first process of a namespace.
void take_default(int signo) {
  struct sigaction ours{};
  set_default(signo, &ours);
  sigset_t just;
  sigset_t before;
  sigemptyset(&just);
  sigaddset(&just, signo);
  ::pthread_sigmask(SIG_UNBLOCK, &just, &before);
  ::raise(signo);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::sigaction(signo, &ours, nullptr);
}

// The kernel found a fault, rather than somebody sending its signal.
bool is_fault(int signo, const siginfo_t* info) { return index_of(signo) < 4 && info->si_code > 0; }

void on_fatal(int signo, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  HandlerLock lock(Wait::bounded);
  const Action previous = state().previous[index_of(signo)];
  const bool ours = is_owner(::getpid()) && state().raw.load(std::memory_order_acquire);
  if (ours) step_aside(Patience::none);
  if (is_handler(previous)) {
    lock.release();
    call(previous, signo, info, context);
  } else if (is_fault(signo, info)) {
    // Going back to the instruction that failed makes a core with the right place in it. The lock stays
    // taken, here and below: nobody makes the terminal raw again before the end.
    set_default(signo, nullptr);
    errno = saved_errno;
    return lock.keep();
  } else {
    take_default(signo);
    lock.release();
  }
  if (ours) {  // still alive
    const HandlerLock again(Wait::bounded);
    come_back();
  }
  errno = saved_errno;
}

void on_stop(int signo, siginfo_t* info, void* context) {
  if (state().stopping.exchange(true, std::memory_order_acq_rel)) return;
  const int saved_errno = errno;
  HandlerLock lock(Wait::as_needed);
  const Action previous = state().previous[index_of(signo)];
  const bool ours = is_owner(::getpid());
  if (ours) step_aside(Patience::none);
  lock.release();
  if (is_handler(previous))
    call(previous, signo, info, context);
  else
    take_default(signo);
  state().stopping.store(false, std::memory_order_release);
  if (ours) {
    const HandlerLock again(Wait::as_needed);
    come_back();
  }
  errno = saved_errno;
}

void on_notice(int signo, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  HandlerLock lock(Wait::as_needed);
  const Action previous = state().previous[index_of(signo)];
  if (is_owner(::getpid())) {
    if (signo == SIGWINCH)
      wake(kResized);
    else
      come_back();
  }
  lock.release();
  call(previous, signo, info, context);
  errno = saved_errno;
}

Handler handler_for(int signo) {
  if (signo == SIGTSTP) return on_stop;
  return signo == SIGCONT || signo == SIGWINCH ? on_notice : on_fatal;
}

// Ignored by whoever started us (nohup, a shell without job control): stays so. The default of the two
// notices is to be ignored, so there it says nothing.
bool leave_ignored(int signo, const Action& previous) {
  return previous.handler == reinterpret_cast<uintptr_t>(SIG_IGN) && signo != SIGCONT && signo != SIGWINCH;
}

bool install(int signo, Action& previous) {
  struct sigaction now{};
  if (::sigaction(signo, nullptr, &now) != 0) return false;
  previous = pack(now);
  if (leave_ignored(signo, previous)) return true;
  struct sigaction ours{};
  ours.sa_sigaction = handler_for(signo);
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  previous.installed = ::sigaction(signo, &ours, nullptr) == 0;
  return previous.installed;
}

// Somebody who installed a handler over ours keeps it; when it calls ours, that still knows where to go on.
void remove(int signo, Action& previous) {
  if (!previous.installed) return;
  previous.installed = false;
  struct sigaction now{};
  if (::sigaction(signo, nullptr, &now) != 0 || now.sa_sigaction != handler_for(signo)) return;
  const struct sigaction before = unpack(previous);
  ::sigaction(signo, &before, nullptr);
}

void install_stack() {
  stack_t before{};
  if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  const stack_t ours{.ss_sp = handler_stack, .ss_flags = 0, .ss_size = sizeof handler_stack};
  ::sigaltstack(&ours, nullptr);
}

void remove_stack() {
  stack_t now{};
  if (::sigaltstack(nullptr, &now) != 0 || now.ss_sp != handler_stack) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  ::sigaltstack(&none, nullptr);
}

}  // namespace

base::Result<void> install_handlers() {
  install_stack();
  for (size_t i = 0; i < kSignals.size(); i++) {
    if (install(kSignals[i], state().previous[i])) continue;
    const int why = errno;
    remove_handlers();
    return base::fail(base::Code::internal, why, "cannot handle signals");
  }
  return {};
}

void remove_handlers() {
  for (size_t i = kSignals.size(); i-- > 0;) remove(kSignals[i], state().previous[i]);
  remove_stack();
}

}  // namespace term::guard
