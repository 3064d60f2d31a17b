// SPDX-License-Identifier: Apache-2.0
#include "pty/input_watch.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace pty {

using base::Code;
using base::fail;

base::Result<InputWatch> InputWatch::begin(int master) {
  base::Fd events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!events) return fail(Code::internal, errno, "cannot watch a terminal");
  // By its descriptor: in another mount namespace its name may be another's.
  const base::Fd slave(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!slave) return fail(Code::internal, errno, "cannot open the terminal to watch it");
  const std::string name = "/proc/self/fd/" + std::to_string(slave.get());
  if (::inotify_add_watch(events.get(), name.c_str(), IN_ACCESS) < 0)
    return fail(Code::internal, errno, "cannot watch a terminal");
  return InputWatch(std::move(events));
}

bool InputWatch::was_read() {
  std::array<char, 4096> buffer{};
  if (!read_) read_ = ::read(events_.get(), buffer.data(), buffer.size()) > 0;
  return read_;
}

}  // namespace pty
