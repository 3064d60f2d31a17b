// SPDX-License-Identifier: Apache-2.0
#include "pty/write_queue.h"

#include <cerrno>
#include <unistd.h>

namespace pty {

using base::Code;
using base::fail;
using base::Result;

Result<void> WriteQueue::push(std::string_view bytes) {
  if (!waiting_.push(bytes))
    return fail(Code::pty_write_failed, 0,
                "the program does not read its input, and too much waits for it already");
  return {};
}

Result<void> WriteQueue::flush(int master) {
  while (!waiting_.empty()) {
    const auto piece = waiting_.front();
    const ssize_t n = ::write(master, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (n < 0 && errno == EAGAIN)) return {};
    if (n < 0) return fail(Code::pty_write_failed, errno, "cannot write to a terminal");
    waiting_.pop(static_cast<size_t>(n));
  }
  return {};
}

}  // namespace pty
