// SPDX-License-Identifier: Apache-2.0
#include "wire/reach.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/lock.h"
#include "wire/environment.h"

namespace wire {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::milliseconds;

constexpr int kReadyFd = 3;
constexpr std::chrono::seconds kDeadline{15};
constexpr std::chrono::seconds kFindDeadline{8};  // longer than a daemon that begins waits for keepers
constexpr milliseconds kPause{5};
constexpr milliseconds kLongPause{100};

bool nobody_there(const base::Error& error) { return error.sys == ENOENT || error.sys == ECONNREFUSED; }

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (std::string& each : texts) list.push_back(each.data());
  list.push_back(nullptr);
  return list;
}

// In the grandchild: nothing of the command that started it is left.
[[noreturn]] void become_daemon(char** argv, char** env, int ready) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signo = 1; signo < NSIG; signo++) ::signal(signo, SIG_DFL);
  if (ready == kReadyFd)
    ::fcntl(ready, F_SETFD, 0);
  else
    ::dup2(ready, kReadyFd);
  // First, so that there is room for one more descriptor, however few there may be.
  ::close_range(kReadyFd + 1, ~0U, 0);
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd++) ::dup2(null, fd);
  ::close(null);
  if (::chdir("/") == 0) ::execve(argv[0], argv, env);
  ::_exit(127);
}

std::string lock_path(const base::Folders& folders) { return folders.state + "/daemon.lock"; }

bool is_locked(const base::Folders& folders) {
  const base::Fd lock(::open(lock_path(folders).c_str(), O_RDONLY | O_CLOEXEC));
  return lock && base::is_locked(lock.get());
}

base::Error not_listening(const base::Folders& folders) {
  std::string pid;
  std::ifstream(lock_path(folders)) >> pid;
  return {Code::internal, 0,
          "a daemon (process " + pid + ", here or on a machine that shares this folder) holds " +
              lock_path(folders) + ", and nobody listens at " + socket_path(folders) +
              "; end that process, or set TEND_HOME to use another folder"};
}

}  // namespace

Result<std::string> launch_daemon(const std::string& program, std::vector<std::string> environment) {
  auto pipe = base::make_pipe();
  if (!pipe) return fail(pipe);
  std::vector<std::string> arguments = {program, "--ready-fd", std::to_string(kReadyFd)};
  auto argv = pointers(arguments);
  auto env = pointers(environment);
  const pid_t child = ::fork();
  if (child < 0) return fail(Code::internal, errno, "cannot start the daemon");
  if (child == 0) {
    ::setsid();
    if (::fork() == 0) become_daemon(argv.data(), env.data(), pipe->write_end.get());
    ::_exit(0);
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  pipe->write_end.reset();
  const base::RealClock clock;
  const base::Moment end = clock.now() + kDeadline;
  std::string line;
  while (line.find('\n') == std::string::npos && clock.now() < end) {
    pollfd wait{pipe->read_end.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(milliseconds(kDeadline).count()));
    char buffer[1024];
    const ssize_t n = ::read(pipe->read_end.get(), buffer, sizeof buffer);
    if (n > 0) line.append(buffer, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
  return line.substr(0, line.find('\n'));
}

std::string socket_path(const base::Folders& folders) { return folders.runtime + "/tend.sock"; }

Result<Client> reach_running(const base::Folders& folders, const Greeting& greeting) {
  return Client::connect(socket_path(folders), greeting);
}

Result<Client> reach(const base::Folders& folders, const Result<std::string>& program,
                     const Greeting& greeting) {
  const base::RealClock clock;
  const base::Moment end = clock.now() + kDeadline;
  milliseconds pause = kPause;
  for (bool busy = false;;) {
    auto client = reach_running(folders, greeting);
    if (client || !nobody_there(client.error())) return client;
    if (clock.now() >= end && busy) return std::unexpected(not_listening(folders));
    if (clock.now() >= end)
      return fail(Code::internal, ETIMEDOUT,
                  "the daemon does not start; see " + folders.state + "/daemon.log");
    if (!program) return std::unexpected(program.error());
    auto said = launch_daemon(*program, channel_environment());
    if (!said) return fail(said);
    if (*said == "ok") continue;
    // Another one holds the lock and is about to listen, or about to go.
    busy = *said == "busy";
    if (busy) {
      ::poll(nullptr, 0, static_cast<int>(pause.count()));
      pause = std::min(2 * pause, kLongPause);
      continue;
    }
    return fail(Code::internal, 0,
                "the daemon cannot start: " +
                    (said->empty() ? "it died; see " + folders.state + "/daemon.log" : *said));
  }
}

Result<std::optional<Client>> find_running(const base::Folders& folders, const Greeting& greeting) {
  const base::RealClock clock;
  const base::Moment end = clock.now() + kFindDeadline;
  for (;;) {
    auto client = reach_running(folders, greeting);
    if (client) return std::optional(std::move(*client));
    if (!nobody_there(client.error())) return fail(client);
    if (!is_locked(folders)) return std::nullopt;
    if (clock.now() >= end) return std::unexpected(not_listening(folders));
    ::poll(nullptr, 0, static_cast<int>(kLongPause.count()));
  }
}

}  // namespace wire
