// SPDX-License-Identifier: Apache-2.0
#include "base/byte_ring.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "base/wipe.h"

namespace base {
namespace {

constexpr size_t kSmallest = 4096;
constexpr size_t kKeptWhenEmpty = 65536;

}  // namespace

bool ByteRing::push(std::span<const char> bytes) {
  if (bytes.empty()) return true;
  if (bytes.size() > room()) return false;
  if (size_ + bytes.size() > capacity_ && !grow(size_ + bytes.size())) return false;
  const size_t tail = (head_ + size_) % capacity_;
  const size_t first = std::min(bytes.size(), capacity_ - tail);
  std::memcpy(data_.get() + tail, bytes.data(), first);
  std::memcpy(data_.get(), bytes.data() + first, bytes.size() - first);
  size_ += bytes.size();
  return true;
}

std::span<const char> ByteRing::front() const {
  return {data_.get() + head_, std::min(size_, capacity_ - head_)};
}

void ByteRing::pop(size_t count) {
  assert(count <= size_);
  const size_t first = std::min(count, capacity_ - head_);
  wipe(data_.get() + head_, first);
  wipe(data_.get(), count - first);
  size_ -= count;
  head_ = size_ == 0 ? 0 : (head_ + count) % capacity_;
  if (size_ == 0 && capacity_ > kKeptWhenEmpty) {
    data_.reset();
    capacity_ = 0;
  }
}

bool ByteRing::grow(size_t wanted) {
  size_t capacity = std::max(capacity_, kSmallest);
  while (capacity < wanted) capacity *= 2;
  capacity = std::min(capacity, std::max(bound_, wanted));
  std::unique_ptr<char[]> data(new (std::nothrow) char[capacity]);
  if (!data) return false;
  const std::span<const char> piece = front();
  if (!piece.empty()) std::memcpy(data.get(), piece.data(), piece.size());
  if (size_ > piece.size()) std::memcpy(data.get() + piece.size(), data_.get(), size_ - piece.size());
  wipe(data_.get(), capacity_);
  data_ = std::move(data);
  capacity_ = capacity;
  head_ = 0;
  return true;
}

}  // namespace base
