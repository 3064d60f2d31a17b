// SPDX-License-Identifier: Apache-2.0
#include "base/lock.h"

#include <cerrno>
#include <fcntl.h>

namespace base {
namespace {

struct flock whole_file() {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

}  // namespace

Result<bool> take_lock(int fd) {
  struct flock lock = whole_file();
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return fail(Code::internal, errno, "cannot lock a file");
}

bool is_locked(int fd) {
  struct flock lock = whole_file();
  return ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace base
