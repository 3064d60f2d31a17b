// SPDX-License-Identifier: Apache-2.0
#include "pty/execution.h"

#include <cerrno>
#include <csignal>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pty {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

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

}  // namespace

Execution::Execution(const Command& command)
    : cwd_(command.cwd.empty() ? nullptr : command.cwd.c_str()),
      umask_(command.umask),
      files_(candidates(command)),
      argv_(pointers(command.argv)),
      env_(pointers(command.env)),
      shell_argv_(argv_) {
  shell_argv_.insert(shell_argv_.begin(), const_cast<char*>("/bin/sh"));
}

bool Execution::enter_folder() const {
  ::umask(umask_);
  return cwd_ == nullptr || ::chdir(cwd_) == 0;
}

void Execution::reset_signals() {
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

void Execution::execute() {
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

}  // namespace pty
