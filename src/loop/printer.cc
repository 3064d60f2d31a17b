// SPDX-License-Identifier: Apache-2.0
#include "loop/printer.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"

namespace loop {
namespace {

constexpr size_t kFull = 64 << 10;
// Lines of the runner's own beyond this are for nobody.
constexpr size_t kMost = 1 << 20;

}  // namespace

Printer::Printer(int fd) : fd_(fd) {
  termios settings{};
  if (::tcgetattr(fd, &settings) == 0) {
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
    settings.c_lflag |= ISIG;
    ::tcsetattr(fd, TCSANOW, &settings);
  }
  // Where that is refused, writes may block; they still arrive.
  [[maybe_unused]] const auto done = base::set_nonblocking(fd);
}

void Printer::bytes(std::string_view text) {
  if (text.empty()) return;
  if (queue_.size() < kMost) queue_ += text;
  last_ = text.back();
  flush();
}

void Printer::line(std::string_view text) { bytes((last_ == '\n' ? "" : "\n") + std::string(text) + "\n"); }

bool Printer::full() const { return queue_.size() >= kFull; }

void Printer::flush() {
  while (!queue_.empty()) {
    const ssize_t n = ::write(fd_, queue_.data(), queue_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    // A terminal that has gone takes nothing more.
    if (n < 0) return queue_.clear();
    queue_.erase(0, static_cast<size_t>(n));
  }
}

void Printer::finish(base::Duration patience) {
  const base::RealClock clock;
  const base::Moment end = clock.now() + patience;
  for (flush(); waiting() && clock.now() < end; flush()) {
    pollfd ready{fd_, POLLOUT, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock.now()).count();
    ::poll(&ready, 1, static_cast<int>(std::max<int64_t>(left, 0)));
  }
}

}  // namespace loop
