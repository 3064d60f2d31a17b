// SPDX-License-Identifier: Apache-2.0
#include "pty/probe_threads.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <sys/syscall.h>
#include <sys/time.h>

namespace pty::probe {
namespace {

using Kind = Source::Kind;

// "0 0x3 0x7ffd… …": the call, six arguments, the stack pointer, the program counter.
Blocked parse(std::string_view text) {
  Blocked blocked;
  char* at = nullptr;
  blocked.number = std::strtol(text.data(), &at, 10);
  if (blocked.number < 0) return blocked;
  for (uint64_t& each : blocked.args) each = std::strtoull(at, &at, 16);
  blocked.stack = std::strtoull(at, &at, 16);
  return blocked;
}

// -1 for no timeout at all; nothing where it cannot be seen.
std::optional<int32_t> timespec_at(Task task, uint64_t address) {
  if (address == 0) return -1;
  timespec time{};
  if (!peek(task, address, &time, sizeof time)) return {};
  return to_milliseconds(time.tv_sec, time.tv_nsec);
}

[[maybe_unused]] std::optional<int32_t> timeval_at(Task task, uint64_t address) {
  if (address == 0) return -1;
  timeval time{};
  if (!peek(task, address, &time, sizeof time)) return {};
  return to_milliseconds(time.tv_sec, time.tv_usec * 1000);
}

// An int that came in a register of 64 bits.
int32_t as_int(uint64_t argument) { return static_cast<int32_t>(static_cast<uint32_t>(argument)); }
std::optional<int32_t> plain_timeout(uint64_t argument) { return std::max(as_int(argument), -1); }

Thread in_set(Search& search, Task task, std::optional<WaitSet> set, std::optional<int32_t> timeout_ms) {
  if (!set || !timeout_ms) return {task, Doing::hidden};
  set->timeout_ms = *timeout_ms;
  drop_pipes_written_by(search, task, set->sources);
  settle_timers(task, *set);
  const Doing doing = judge(*set);
  return {task, doing, std::move(*set)};
}

Thread in_read(Search& search, Task task, int fd) {
  const Source source = classify(search, task, fd);
  Thread thread{task, Doing::other_io, WaitSet{.call = Look::Call::read}};
  switch (source.kind) {
    case Kind::terminal:
      thread.doing = Doing::reads;
      thread.set.terminal = fd;
      break;
    case Kind::own:
    case Kind::timer:
      thread.doing = Doing::idles;
      break;
    case Kind::pipe:
      thread.set.sources.push_back(source);
      drop_pipes_written_by(search, task, thread.set.sources);
      thread.doing = thread.set.sources.empty() ? Doing::idles : Doing::reads_pipe;
      break;
    default:
      break;
  }
  return thread;
}

// After a stop and a SIGCONT some calls go on as this one, which does not say what it was; the arguments
// still stand in the registers. Only a poll with the terminal in it is taken for one.
Thread in_restarted(Search& search, Task task, const Blocked& blocked) {
  const auto& args = blocked.args;
  if (args[1] > 0 && args[1] <= kMostSources) {
    Thread thread = in_set(search, task, poll_set(search, task, args[0], args[1]), plain_timeout(args[2]));
    if (thread.wants_terminal()) return thread;
  }
  return {task, Doing::naps};
}

Thread in_call(Search& search, Task task, const Blocked& blocked) {
  const auto& args = blocked.args;
  switch (blocked.number) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_splice:
    case SYS_copy_file_range:
      return in_read(search, task, as_int(args[0]));
    case SYS_sendfile:
      return in_read(search, task, as_int(args[1]));
#ifdef SYS_poll
    case SYS_poll:
      return in_set(search, task, poll_set(search, task, args[0], args[1]), plain_timeout(args[2]));
#endif
    case SYS_ppoll:
      return in_set(search, task, poll_set(search, task, args[0], args[1]), timespec_at(task, args[2]));
#ifdef SYS_select
    case SYS_select:
      return in_set(search, task, select_set(search, task, args[0], args[1]), timeval_at(task, args[4]));
#endif
    case SYS_pselect6:
      return in_set(search, task, select_set(search, task, args[0], args[1]), timespec_at(task, args[4]));
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait:
      return in_set(search, task, epoll_set(search, task, as_int(args[0])), plain_timeout(args[3]));
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
      return in_set(search, task, epoll_set(search, task, as_int(args[0])), timespec_at(task, args[3]));
#endif
    case SYS_write:
    case SYS_writev:
      // Held up by whoever reads the pipe, it does not work.
      return {task,
              classify(search, task, as_int(args[0])).kind == Kind::pipe ? Doing::idles : Doing::other_io};
    case SYS_futex:
    case SYS_wait4:
    case SYS_waitid:
#ifdef SYS_pause
    case SYS_pause:
#endif
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
      return {task, Doing::idles};
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return {task, Doing::naps};
    case SYS_restart_syscall:
      return in_restarted(search, task, blocked);
#ifdef SYS_io_uring_enter
    case SYS_io_uring_enter:
      return {task, Doing::hidden};
#endif
    default:
      return {task, Doing::other_io};
  }
}

Doing by_state(Task task, Doing otherwise) {
  const auto state = state_of(task);
  if (!state || state->dead()) return Doing::ended;
  if (state->stopped()) return Doing::stopped;
  return state->works() ? Doing::works : otherwise;
}

}  // namespace

Doing judge(const WaitSet& set) {
  if (set.terminal >= 0) {
    const bool alone = std::all_of(set.sources.begin(), set.sources.end(), [](const Source& each) {
      return each.kind == Kind::timer || each.kind == Kind::ring;
    });
    if (!alone) return Doing::waits_among;
    return set.timeout_ms < 0 ? Doing::waits_alone : Doing::waits_timed;
  }
  if (set.count(Kind::ring) > 0) return Doing::hidden;
  if (set.sources.size() > set.count(Kind::timer)) return Doing::waits_elsewhere;
  return set.empty && set.timeout_ms >= 0 ? Doing::naps : Doing::idles;
}

Thread look_at_thread(Search& search, Task task) {
  char buffer[256];
  const ProcText file = read_once(task_path(task, "syscall"), buffer);
  if (file.error == EPERM || file.error == EACCES) return {task, by_state(task, Doing::hidden)};
  if (file.error != 0 || file.text.empty()) return {task, Doing::ended};
  if (file.text.starts_with("running")) return {task, Doing::works};
  const Blocked blocked = parse(file.text);
  // Not in a call: a page that is not there, a debugger, the end.
  if (blocked.number < 0) return {task, by_state(task, Doing::works)};
  // A program of 32 bits has other numbers for the same calls.
  if (blocked.stack <= UINT32_MAX) return {task, by_state(task, Doing::hidden)};
  Thread thread = in_call(search, task, blocked);
  thread.blocked = blocked;
  // A call is also shown for a thread that was stopped in it, waits for a disk in it, or has been woken
  // since.
  if (thread.doing != Doing::idles && thread.doing != Doing::naps)
    thread.doing = by_state(task, thread.doing);
  return thread;
}

bool is_still_there(const Thread& thread) {
  char buffer[256];
  const ProcText file = read_once(task_path(thread.task, "syscall"), buffer);
  if (file.error != 0 || file.text.empty() || file.text.starts_with("running")) return false;
  return parse(file.text) == thread.blocked;
}

}  // namespace pty::probe
