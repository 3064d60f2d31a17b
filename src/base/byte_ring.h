// SPDX-License-Identifier: Apache-2.0
// ByteRing: a queue of bytes with a bound. It starts empty-handed, doubles as it fills, never beyond the
// bound, and gives its memory back when it runs empty after having been large. What is popped is wiped: it
// may have been a password.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace base {

class ByteRing {
 public:
  explicit ByteRing(size_t bound) : bound_(bound) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t bound() const { return bound_; }
  size_t room() const { return bound_ - size_; }

  // All of it or, when it does not fit below the bound or memory is short, none of it.
  [[nodiscard]] bool push(std::span<const char> bytes);

  // The oldest bytes that stand in one piece; pop() what was used and ask again.
  std::span<const char> front() const;
  void pop(size_t count);
  void clear() { pop(size_); }

 private:
  bool grow(size_t wanted);

  size_t bound_;
  size_t capacity_ = 0;
  size_t head_ = 0;
  size_t size_ = 0;
  std::unique_ptr<char[]> data_;
};

}  // namespace base
