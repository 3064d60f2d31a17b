// SPDX-License-Identifier: Apache-2.0
#include "pty/pump.h"

#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>

namespace pty {

using base::Code;
using base::fail;
using base::Result;

namespace {

// A terminal rarely has more at a time than its buffer of 4 KiB, and the kernel makes room for all that is
// asked for.
constexpr size_t kAskedFor = 8 << 10;
static_assert(kAskedFor <= Pump::kMostPerStep);

constexpr int kMostLooks = 30;

}  // namespace

Pump::Pump(int master, PipeEnds pipe, Journal& journal) : master_(master), pipe_(pipe), journal_(journal) {
  journal_.recover(pipe_.read_end);
  // What the predecessor had spliced and not yet read.
  int left = 0;
  if (::ioctl(pipe_.read_end, FIONREAD, &left) == 0) in_pipe_ = static_cast<size_t>(left);
}

ssize_t Pump::take_from_terminal() const {
  return ::splice(master_, nullptr, pipe_.write_end, nullptr, kAskedFor, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
}

Result<Pump::Step> Pump::step() {
  if (in_pipe_ == 0) {
    ssize_t n = take_from_terminal();
    // The kernel looks for input first and for the close after that; what was written and closed in between
    // is there at a second look, and only then is the end the end.
    if (n < 0 && errno == EIO) n = take_from_terminal();
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return Step{State::empty, 0};
    // EIO is how Linux says that the last process has closed the slave.
    if (n == 0 || (n < 0 && errno == EIO)) return Step{State::closed, 0};
    if (n < 0) return fail(Code::pty_read_failed, errno, "cannot read from a terminal");
    in_pipe_ = static_cast<size_t>(n);
  }
  auto taken = journal_.take(pipe_.read_end, in_pipe_);
  if (!taken) {
    int left = 0;
    if (::ioctl(pipe_.read_end, FIONREAD, &left) == 0) in_pipe_ = static_cast<size_t>(left);
    return fail(taken);
  }
  in_pipe_ = 0;
  return Step{State::moved, *taken};
}

void Pump::linger() const {
  int there = 0;
  for (int i = 0; i < kMostLooks && ::ioctl(master_, FIONREAD, &there) == 0 && there == 0; i++)
    ::sched_yield();
}

}  // namespace pty
