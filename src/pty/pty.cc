// SPDX-License-Identifier: Apache-2.0
#include "pty/pty.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pty {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

// A folder on a dead network mount may keep chdir or exec waiting for ever; whoever spawns must not.
constexpr int kSpawnDeadlineMs = 10'000;
constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

enum class Stage : int { terminal, folder, group, program };

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

std::string_view value_in(const std::vector<std::string>& env, std::string_view name) {
  for (const std::string& entry : env) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return std::string_view(entry).substr(name.size() + 1);
  }
  return {};
}

// The files that may be the program, in the order in which the shell would try them.
std::vector<std::string> candidates(const Command& command) {
  const std::string& name = command.argv[0];
  if (name.find('/') != std::string::npos) return {name};
  std::string_view path = value_in(command.env, "PATH");
  if (path.empty()) path = kDefaultPath;
  std::vector<std::string> files;
  for (;;) {
    const size_t end = path.find(':');
    const std::string_view folder = path.substr(0, end);
    files.push_back(folder.empty() ? name : std::string(folder) + "/" + name);
    if (end == std::string_view::npos) return files;
    path.remove_prefix(end + 1);
  }
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 2);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

// Between fork and exec only calls that are safe in a signal handler, on memory that was laid out before the
// fork.
class Starter {
 public:
  Starter(const Command& command, int slave, int group)
      : cwd_(command.cwd.empty() ? nullptr : command.cwd.c_str()),
        umask_(command.umask),
        slave_(slave),
        group_(group),
        files_(candidates(command)),
        argv_(pointers(command.argv)),
        env_(pointers(command.env)),
        shell_argv_(argv_) {
    shell_argv_.insert(shell_argv_.begin(), const_cast<char*>("/bin/sh"));
  }

  [[noreturn]] void run(int report) {
    ::setsid();
    if (::ioctl(slave_, TIOCSCTTY, 0) != 0) refuse(report, Stage::terminal);
    // Joining a control group comes before anything that could fork.
    if (group_ >= 0 && ::write(group_, "0", 1) != 1) refuse(report, Stage::group);
    if (cwd_ != nullptr && ::chdir(cwd_) != 0) refuse(report, Stage::folder);
    ::umask(umask_);
    // A caller without 0, 1 and 2 may have got these numbers for the slave and the report.
    report = ::fcntl(report, F_DUPFD_CLOEXEC, 3);
    const int slave = ::fcntl(slave_, F_DUPFD_CLOEXEC, 3);
    for (int fd = 0; fd < 3; fd++) {
      if (::dup2(slave, fd) != fd) refuse(report, Stage::terminal);
    }
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) refuse(report, Stage::terminal);
    reset_signals();
    execute();
    refuse(report, Stage::program);
  }

 private:
  static void reset_signals() {
    // Past the C library, which keeps two signals to itself: inherited as ignored, they would stay so.
    constexpr size_t kMaskBytes = 8;
    const unsigned long standard[4] =
        {};  // the kernel's struct sigaction: SIG_DFL, no flags, no restorer, no mask
    for (int signo = 1; signo < NSIG; signo++)
      ::syscall(SYS_rt_sigaction, signo, standard, nullptr, kMaskBytes);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  void execute() {
    int reason = ENOENT;
    for (const std::string& file : files_) {
      ::execve(file.c_str(), argv_.data(), env_.data());
      if (errno == ENOEXEC) {
        // A script without a first line of its own is the shell's, as execvp has it.
        shell_argv_[1] = const_cast<char*>(file.c_str());
        ::execve(shell_argv_[0], shell_argv_.data(), env_.data());
        return;
      }
      // A file that may not be run is a better answer than the absence of the next one.
      if (errno != ENOENT && errno != ENOTDIR) reason = errno;
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
    }
    errno = reason;
  }

  [[noreturn]] static void refuse(int report, Stage stage) {
    const Refusal refusal{stage, errno};
    [[maybe_unused]] const ssize_t n = ::write(report, &refusal, sizeof refusal);
    ::_exit(127);
  }

  const char* cwd_;
  mode_t umask_;
  int slave_;
  int group_;
  std::vector<std::string> files_;
  std::vector<char*> argv_;
  std::vector<char*> env_;
  std::vector<char*> shell_argv_;
};

base::Error explain(const Refusal& refusal, const Command& command) {
  base::Error error{Code::pty_spawn_failed, refusal.error, {}};
  switch (refusal.stage) {
    case Stage::terminal:
      error.what = "cannot give the program its terminal";
      break;
    case Stage::group:
      error.what = "cannot put the program into its control group";
      break;
    case Stage::folder:
      error.what = "cannot enter " + command.cwd;
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
    return fail(Code::pty_spawn_failed, 0, "no terminals left (see /proc/sys/kernel/pty/max)");
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot open a terminal");
  if (auto done = resize(master.get(), size); !done) return fail(done);
  return master;
}

Result<pid_t> spawn(int master, const Command& command, int group) {
  if (command.argv.empty() || command.argv[0].empty())
    return fail(Code::invalid_param, 0, "no program to start");
  auto slave = open_slave(master);
  if (!slave) return fail(slave);
  auto report = base::make_pipe();
  if (!report) return fail(report);
  Starter starter(command, slave->get(), group);
  // No handler of this process may run in the child before its settings are reset.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
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
