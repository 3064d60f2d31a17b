// SPDX-License-Identifier: Apache-2.0
#include "pty/detached.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pty/execution.h"

namespace pty {
namespace {

using base::Code;
using base::fail;

[[noreturn]] void run(Execution& execution) {
  ::setsid();
  // All of them at once and before anything that may take time: a program that hangs on its way must not hold
  // a terminal or a connection open.
  if (::close_range(0, ~0U, 0) == 0 && ::open("/dev/null", O_RDWR) == 0 && ::dup(0) == 1 && ::dup(0) == 2 &&
      execution.enter_folder()) {
    Execution::reset_signals();
    execution.execute();
  }
  ::_exit(127);
}

}  // namespace

base::Result<pid_t> start_detached(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty())
    return fail(Code::invalid_param, 0, "no program to start");
  Execution execution(command);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  // A fork whose child is a sibling. A second fork would not do: below a subreaper the orphan comes back to
  // it, and goes down with the session that it should look after. No stack: the child goes on with a copy of
  // this one.
  const long pid = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  const int reason = errno;
  if (pid == 0) run(execution);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return fail(Code::pty_spawn_failed, reason, "cannot make a process");
  return static_cast<pid_t>(pid);
}

}  // namespace pty
