// SPDX-License-Identifier: Apache-2.0
// Fd: the one owner of a file descriptor. Moving hands it on, the destructor closes it, once.
// A plain int stands for a descriptor that somebody else owns.
#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include "base/result.h"

namespace base {

class Fd {
 public:
  Fd() noexcept = default;
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read_end;
  Fd write_end;
};

// Both ends close-on-exec and nonblocking.
Result<Pipe> make_pipe();

Result<void> set_nonblocking(int fd);

// A copy with close-on-exec set.
Result<Fd> duplicate(int fd);

// Writes all of it to a descriptor that blocks (or waits with poll on one that does not).
Result<void> write_all(int fd, std::span<const char> bytes);

}  // namespace base
