// SPDX-License-Identifier: Apache-2.0
// Numbers and texts in a row of bytes, as the keeper's messages and a sandbox's plan have them: the host's
// byte order, a u32 length before each text, a u32 count before each list. Reading trusts nothing.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pty/pty.h"

namespace pty {

using Stamp = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

class Writer {
 public:
  Writer& u32(uint32_t value) { return raw(&value, sizeof value); }
  Writer& i32(int32_t value) { return raw(&value, sizeof value); }
  Writer& u64(uint64_t value) { return raw(&value, sizeof value); }
  Writer& stamp(Stamp value) {
    const int64_t count = value.time_since_epoch().count();
    return raw(&count, sizeof count);
  }
  Writer& size(Size value) { return u32(value.cols).u32(value.rows); }
  Writer& text(std::string_view value) {
    u32(static_cast<uint32_t>(value.size()));
    return raw(value.data(), value.size());
  }
  Writer& list(const std::vector<std::string>& values) {
    u32(static_cast<uint32_t>(values.size()));
    for (const std::string& value : values) text(value);
    return *this;
  }
  std::string take() { return std::move(out_); }

 private:
  Writer& raw(const void* data, size_t size) {
    out_.append(static_cast<const char*>(data), size);
    return *this;
  }
  std::string out_;
};

// After the first thing that is not there everything reads as zero, and whole() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  uint32_t u32() { return number<uint32_t>(); }
  int32_t i32() { return number<int32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  uint16_t count() { return static_cast<uint16_t>(std::min(u32(), 0xFFFFU)); }
  Stamp stamp() { return Stamp(std::chrono::microseconds(number<int64_t>())); }
  Size size() {
    const uint32_t cols = u32();
    const uint32_t rows = u32();
    // A size beyond 16 bits must not come out as a smaller one; resize() refuses what is out of range.
    return {static_cast<uint16_t>(std::min(cols, 0xFFFFU)), static_cast<uint16_t>(std::min(rows, 0xFFFFU))};
  }
  std::string text() {
    const uint32_t size = u32();
    if (size > left_.size()) return broken();
    std::string value(left_.substr(0, size));
    left_.remove_prefix(size);
    // It becomes an argument or a path, where a zero byte would silently end it.
    if (value.find('\0') != std::string::npos) return broken();
    return value;
  }
  std::vector<std::string> list() {
    std::vector<std::string> values;
    const uint32_t count = u32();
    // Each takes at least its length's four bytes, so a false count cannot make us reserve or loop for long.
    if (count > left_.size() / sizeof(uint32_t)) broken();
    for (uint32_t i = 0; i < count && ok_; i++) values.push_back(text());
    return values;
  }
  bool whole() const { return ok_ && left_.empty(); }

 private:
  template <typename T>
  T number() {
    T value{};
    if (left_.size() < sizeof value) {
      broken();
      return {};
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string broken() {
    ok_ = false;
    left_ = {};
    return {};
  }

  std::string_view left_;
  bool ok_ = true;
};

template <typename T>
std::optional<T> if_whole(const Reader& reader, T value) {
  if (!reader.whole()) return {};
  return value;
}

}  // namespace pty
