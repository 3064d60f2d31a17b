// SPDX-License-Identifier: Apache-2.0
#include "pty/pty.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pty/execution.h"

namespace pty {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

// A folder on a dead network mount may keep chdir or exec waiting for ever; whoever spawns must not.
constexpr int kSpawnDeadlineMs = 10'000;

enum class Stage : int { terminal, folder, confinement, program };

struct Refusal {
  Stage stage;
  int error;
};

Result<Fd> open_slave(int master) {
  // By the master itself and not by name: names belong to a mount that this process may not even see.
  const int fd = ::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return fail(Code::pty_spawn_failed, errno, "cannot open the slave side of a terminal");
  return Fd(fd);
}

// Between fork and exec only calls that are safe in a signal handler, on memory that was laid out before the
// fork.
class Starter {
 public:
  Starter(const Command& command, int slave, const Confinement* confinement)
      : execution_(command), slave_(slave), confinement_(confinement) {}

  [[noreturn]] void run(int report) {
    ::setsid();
    if (::ioctl(slave_, TIOCSCTTY, 0) != 0) refuse(report, Stage::terminal);
    if (!execution_.enter_folder()) refuse(report, Stage::folder);
    // A caller without 0, 1 and 2 may have got these numbers for the slave and the report.
    report = ::fcntl(report, F_DUPFD_CLOEXEC, 3);
    const int slave = ::fcntl(slave_, F_DUPFD_CLOEXEC, 3);
    for (int fd = 0; fd < 3; fd++) {
      if (::dup2(slave, fd) != fd) refuse(report, Stage::terminal);
    }
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) refuse(report, Stage::terminal);
    Execution::reset_signals();
    if (confinement_ != nullptr && !confinement_->confine()) refuse(report, Stage::confinement);
    execution_.execute();
    refuse(report, Stage::program);
  }

 private:
  [[noreturn]] static void refuse(int report, Stage stage) {
    const Refusal refusal{stage, errno};
    [[maybe_unused]] const ssize_t n = ::write(report, &refusal, sizeof refusal);
    ::_exit(127);
  }

  Execution execution_;
  int slave_;
  const Confinement* confinement_;
};

// A child that is born in its control group, if it has one. Joining it later would make the kernel wait for a
// grace period of all its processors: 15 ms.
pid_t fork_into(int group) {
  if (group < 0) return ::fork();
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<unsigned>(group);
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

base::Error explain(const Refusal& refusal, const Command& command) {
  base::Error error{Code::pty_spawn_failed, refusal.error, {}};
  switch (refusal.stage) {
    case Stage::terminal:
      error.what = "cannot give the program its terminal";
      break;
    case Stage::folder:
      error.what = "cannot enter " + command.cwd;
      break;
    case Stage::confinement:
      error.what = "cannot confine the program";
      break;
    case Stage::program:
      error.what = "cannot start " + command.argv[0];
      break;
  }
  return error;
}

// Nothing at the end of a successful exec, which closes the pipe.
std::optional<Refusal> wait_for_refusal(int report) {
  pollfd wait{report, POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&wait, 1, kSpawnDeadlineMs);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) return Refusal{Stage::program, ETIMEDOUT};
  Refusal refusal{};
  if (::read(report, &refusal, sizeof refusal) != static_cast<ssize_t>(sizeof refusal)) return {};
  return refusal;
}

}  // namespace

ExitStatus decode_wait_status(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

Result<Fd> open_master(Size size) {
  Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!master && errno == ENOSPC)
    return fail(Code::internal, 0, "no terminals left (see /proc/sys/kernel/pty/max)");
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0)
    return fail(Code::internal, errno, "cannot open a terminal");
  if (auto done = resize(master.get(), size); !done) return fail(done);
  return master;
}

Result<pid_t> spawn(int master, const Command& command, int group, const Confinement* confinement) {
  if (command.argv.empty() || command.argv[0].empty())
    return fail(Code::invalid_param, 0, "no program to start");
  auto slave = open_slave(master);
  if (!slave) return fail(slave);
  auto report = base::make_pipe();
  if (!report) return fail(report);
  Starter starter(command, slave->get(), confinement);
  // No handler of this process may run in the child before its settings are reset.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork_into(group);
  const int fork_error = errno;
  if (pid == 0) starter.run(report->write_end.get());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return fail(Code::pty_spawn_failed, fork_error, "cannot make a process");
  report->write_end.reset();
  if (const auto refusal = wait_for_refusal(report->read_end.get())) {
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return std::unexpected(explain(*refusal, command));
  }
  return pid;
}

Result<void> resize(int master, Size size) {
  if (size.cols < 1 || size.rows < 1 || size.cols > kMostCells || size.rows > kMostCells)
    return fail(Code::invalid_param, 0, "a terminal has 1 to 1000 columns and rows");
  const winsize window{size.rows, size.cols, 0, 0};
  if (::ioctl(master, TIOCSWINSZ, &window) != 0)
    return fail(Code::internal, errno, "cannot set the size of a terminal");
  return {};
}

Result<Size> size_of(int master) {
  winsize window{};
  if (::ioctl(master, TIOCGWINSZ, &window) != 0)
    return fail(Code::internal, errno, "cannot ask for the size of a terminal");
  return Size{window.ws_col, window.ws_row};
}

Result<void> signal_foreground(int master, int signo) {
  const pid_t group = ::tcgetpgrp(master);
  if (group > 0 && ::killpg(group, signo) == 0) return {};
  return fail(errno == EINVAL ? Code::invalid_param : Code::pty_process_exited, group > 0 ? errno : 0,
              "cannot signal the program in the foreground");
}

std::optional<Exited> wait_any() {
  int status = 0;
  const pid_t pid = ::waitpid(-1, &status, WNOHANG);
  if (pid <= 0) return {};
  return Exited{pid, decode_wait_status(status)};
}

}  // namespace pty
