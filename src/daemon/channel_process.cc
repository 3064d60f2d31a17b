// SPDX-License-Identifier: Apache-2.0
#include "daemon/channel_process.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "wire/environment.h"

namespace host {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

constexpr off_t kMostLog = 1 << 20;

// With one older file behind it, as the daemon's own.
Fd open_log(const std::string& path) {
  struct stat about{};
  if (::lstat(path.c_str(), &about) == 0 && about.st_size > kMostLog)
    (void)::rename(path.c_str(), (path + ".1").c_str());
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) file.reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  return file;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& each : texts) all.push_back(each.data());
  all.push_back(nullptr);
  return all;
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class Attributes {
 public:
  // No signal that the daemon blocks or ignores is so for its children.
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<ChannelProcess> start_channel(const std::string& program, const std::string& kind,
                                     const std::string& log_file) {
  auto pipe = base::make_pipe();
  if (!pipe) return fail(pipe);
  const Fd log = open_log(log_file);
  FileActions files;
  ::posix_spawn_file_actions_adddup2(files.get(), pipe->read_end.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(files.get(), STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(files.get(), log.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(files.get(), STDERR_FILENO + 1);
  ::posix_spawn_file_actions_addchdir_np(files.get(), "/");
  Attributes attributes;
  std::vector<std::string> arguments = {program, kind};
  std::vector<std::string> environment = wire::channel_environment();
  ChannelProcess started;
  const int reason = ::posix_spawn(&started.pid, program.c_str(), files.get(), attributes.get(),
                                   pointers(arguments).data(), pointers(environment).data());
  if (reason != 0) return fail(Code::internal, reason, "cannot start " + program);
  started.process.reset(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0)));
  started.pipe = std::move(pipe->write_end);
  // One that has ended at once: it is told as an end.
  return started;
}

}  // namespace host
