// SPDX-License-Identifier: Apache-2.0
#include "pty/control_group.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pty {
namespace {

using base::Fd;

std::string read_all(int fd) {
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; (n = ::pread(fd, piece, sizeof piece, static_cast<off_t>(text.size()))) > 0;)
    text.append(piece, static_cast<size_t>(n));
  return text;
}

std::string read_path(const char* path) {
  const Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  return fd ? read_all(fd.get()) : std::string();
}

// Where version 2 is mounted: the fifth field of the line whose type, behind " - ", is cgroup2.
std::string mount_point() {
  const std::string mounts = read_path("/proc/self/mountinfo");
  const size_t type = mounts.find(" - cgroup2 ");
  if (type == std::string::npos) return {};
  size_t at = mounts.rfind('\n', type);
  at = at == std::string::npos ? 0 : at + 1;
  for (int field = 0; field < 4; field++) at = mounts.find(' ', at) + 1;
  return mounts.substr(at, mounts.find(' ', at) - at);
}

// This process's own, below the mount point: the line that starts with "0::".
std::string own_path() {
  const std::string text = "\n" + read_path("/proc/self/cgroup");
  const size_t at = text.find("\n0::");
  if (at == std::string::npos) return {};
  return text.substr(at + 4, text.find('\n', at + 1) - at - 4);
}

// Asked in a way that makes no process: without arguments it is at most a wrong call.
bool may_be_born_in_one() { return ::syscall(SYS_clone3, nullptr, 0) < 0 && errno == EINVAL; }

}  // namespace

std::string own_control_group() {
  const std::string mount = mount_point();
  const std::string own = own_path();
  return mount.empty() || own.empty() ? std::string() : mount + own;
}

Fd open_own_control_group() {
  const std::string own = own_control_group();
  return Fd(own.empty() ? -1 : ::open(own.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::optional<ControlGroup> ControlGroup::create(int above, const std::string& name) {
  Fd parent(::fcntl(above, F_DUPFD_CLOEXEC, 0));
  if (!parent || ::mkdirat(parent.get(), name.c_str(), 0755) != 0) return {};
  Fd folder(::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Fd procs(folder ? ::openat(folder.get(), "cgroup.procs", O_RDWR | O_CLOEXEC) : -1);
  // Without cgroup.kill (before Linux 5.14) or where clone3 is forbidden a group is no better than looking.
  if (!procs || ::faccessat(folder.get(), "cgroup.kill", W_OK, 0) != 0 || !may_be_born_in_one()) {
    ::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);
    return {};
  }
  return ControlGroup(std::move(parent), std::move(folder), std::move(procs), name);
}

std::vector<pid_t> ControlGroup::members() const {
  std::vector<pid_t> list;
  const std::string text = read_all(procs_.get());
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const long pid = std::strtol(at, &end, 10);
    if (end == at) return list;
    list.push_back(static_cast<pid_t>(pid));
  }
}

void ControlGroup::kill_all() {
  spent_ = true;
  const Fd file(::openat(folder_.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  [[maybe_unused]] const ssize_t n = ::write(file.get(), "1", 1);
}

void ControlGroup::remove() {
  // Fails while somebody is in it; then the empty folder is all that is left behind.
  if (parent_) ::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR);
}

}  // namespace pty
