// SPDX-License-Identifier: Apache-2.0
#include "loop/child.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pty/execution.h"

namespace loop {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

// A folder on a dead network mount may keep chdir or exec waiting for ever.
constexpr int kStartDeadlineMs = 10'000;

enum class Stage : int { pipes, folder, program };
struct Refusal {
  Stage stage;
  int error;
};

[[noreturn]] void refuse(int report, Stage stage) {
  const Refusal refusal{stage, errno};
  [[maybe_unused]] const ssize_t n = ::write(report, &refusal, sizeof refusal);
  ::_exit(127);
}

bool becomes(int from, int to) {
  // Children expect descriptors that block.
  const int flags = ::fcntl(from, F_GETFL);
  return flags >= 0 && ::fcntl(from, F_SETFL, flags & ~O_NONBLOCK) == 0 && ::dup2(from, to) == to;
}

// Between fork and exec: only what is safe in a signal handler.
[[noreturn]] void become(pty::Execution& execution, int input, int output, int report) {
  ::setsid();
  // Out of the way of 0, 1 and 2, which this process may not have had.
  report = ::fcntl(report, F_DUPFD_CLOEXEC, 3);
  input = ::fcntl(input, F_DUPFD_CLOEXEC, 3);
  output = ::fcntl(output, F_DUPFD_CLOEXEC, 3);
  if (!becomes(input, 0) || !becomes(output, 1) || !becomes(output, 2) ||
      ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    refuse(report, Stage::pipes);
  if (!execution.enter_folder()) refuse(report, Stage::folder);
  pty::Execution::reset_signals();
  execution.execute();
  refuse(report, Stage::program);
}

// Nothing when the program runs: exec has closed the pipe.
std::optional<Refusal> wait_for_refusal(int report) {
  pollfd wait{report, POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&wait, 1, kStartDeadlineMs);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) return Refusal{Stage::program, ETIMEDOUT};
  Refusal refusal{};
  if (::read(report, &refusal, sizeof refusal) != static_cast<ssize_t>(sizeof refusal)) return {};
  return refusal;
}

base::Error explain(const Refusal& refusal, const pty::Command& command) {
  base::Error error{Code::pty_spawn_failed, refusal.error, {}};
  if (refusal.stage == Stage::pipes) error.what = "cannot give the program its pipes";
  if (refusal.stage == Stage::folder) error.what = "cannot enter " + command.cwd;
  if (refusal.stage == Stage::program) error.what = "cannot start " + command.argv[0];
  return error;
}

}  // namespace

Result<Child> start_child(const pty::Command& command, ChildInput input) {
  if (command.argv.empty() || command.argv[0].empty())
    return fail(Code::invalid_param, 0, "no program to start");
  auto output = base::make_pipe();
  if (!output) return fail(output);
  auto report = base::make_pipe();
  if (!report) return fail(report);
  base::Pipe typed;
  if (input == ChildInput::pipe) {
    auto pipe = base::make_pipe();
    if (!pipe) return fail(pipe);
    typed = std::move(*pipe);
  } else {
    typed.read_end = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!typed.read_end) return fail(Code::pty_spawn_failed, errno, "cannot open /dev/null");
  }
  pty::Execution execution(command);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  const int reason = errno;
  if (pid == 0) become(execution, typed.read_end.get(), output->write_end.get(), report->write_end.get());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return fail(Code::pty_spawn_failed, reason, "cannot make a process");
  report->write_end.reset();
  if (const auto refusal = wait_for_refusal(report->read_end.get())) {
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return std::unexpected(explain(*refusal, command));
  }
  return Child{pid, std::move(output->read_end), std::move(typed.write_end)};
}

}  // namespace loop
