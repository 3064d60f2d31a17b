// SPDX-License-Identifier: Apache-2.0
#include "base/fd.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace base {

void Fd::reset(int fd) noexcept {
  const int saved = errno;
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  errno = saved;
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return fail(Code::internal, errno, "cannot make a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<void> set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    return fail(Code::internal, errno, "cannot make a descriptor nonblocking");
  return {};
}

Result<Fd> duplicate(int fd) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return fail(Code::internal, errno, "cannot duplicate a descriptor");
  return Fd(copy);
}

Result<void> write_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return fail(Code::internal, errno, "cannot write");
    }
  }
  return {};
}

}  // namespace base
