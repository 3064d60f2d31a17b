// SPDX-License-Identifier: Apache-2.0
#include "cli/user_terminal.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "term/window_size.h"

namespace cli {

using base::Code;
using base::fail;
using base::Result;

Result<UserTerminal> UserTerminal::open() {
  UserTerminal terminal;
  if (::isatty(0) != 0) {
    auto raw = term::RawMode::open(0);
    if (!raw) return fail(raw);
    terminal.raw_.emplace(std::move(*raw));
  }
  terminal.open_output();
  return terminal;
}

UserTerminal UserTerminal::output_only() {
  UserTerminal terminal;
  terminal.open_output();
  return terminal;
}

void UserTerminal::open_output() {
  // Nonblocking on an open file of our own: the flag of the one that was inherited is shared with the shell.
  // Where it cannot be opened anew, writing blocks, as it does for everybody else.
  if (::isatty(1) != 0)
    own_output_.reset(::open("/proc/self/fd/1", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

bool UserTerminal::shows() const { return raw_ && ::isatty(1) != 0; }

Result<void> UserTerminal::enter() {
  if (!raw_) return {};
  return raw_->enter();
}

void UserTerminal::leave() {
  if (raw_) (void)raw_->leave();
}

pty::Size UserTerminal::size() const {
  const int fd = ::isatty(1) != 0 ? 1 : 0;
  const term::WindowSize size = term::window_size(fd);
  return {size.cols, size.rows};
}

Result<std::optional<size_t>> UserTerminal::read(std::span<char> buffer) {
  const ssize_t n = ::read(0, buffer.data(), buffer.size());
  if (n >= 0) return static_cast<size_t>(n);
  if (errno == EAGAIN || errno == EINTR) return std::nullopt;
  // A terminal that has gone away reads as EIO; that is its end.
  if (errno == EIO) return 0;
  return fail(Code::internal, errno, "cannot read the input");
}

Result<size_t> UserTerminal::show(std::string_view output) {
  // Looked at before it is written: a signal in between must not leave on what nobody noted.
  if (raw_ && output.size() > noted_) {
    raw_->leftovers().feed(output.substr(noted_));
    noted_ = output.size();
  }
  auto written = write(output);
  if (written) noted_ -= std::min(noted_, *written);
  return written;
}

std::string UserTerminal::begin_screen() {
  if (!raw_) return {};
  std::string begin = raw_->leftovers().undo();
  begin += "\x1b[m\x1b[r";
  if (!std::exchange(drawn_, true)) {
    // Once: what the user had on the screen goes up into the scrollback, and is not painted over.
    begin += "\x1b[999H" + std::string(size().rows, '\n');
  }
  return begin + "\x1b[H\x1b[2J";
}

Result<size_t> UserTerminal::write(std::string_view bytes) {
  const ssize_t n = ::write(output(), bytes.data(), bytes.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (n < 0) return fail(Code::internal, errno, "cannot write the output");
  return static_cast<size_t>(n);
}

}  // namespace cli
