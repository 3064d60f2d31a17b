// SPDX-License-Identifier: Apache-2.0
#include "base/wipe.h"

#include <array>
#include <cstring>

namespace base {
namespace {

// Deeper than any call that has keys or an answer in its hands; the large buffers are not on the stack.
constexpr size_t kDepth = 32 << 10;

}  // namespace

void wipe(void* bytes, size_t count) {
  if (count > 0) ::explicit_bzero(bytes, count);
}

void wipe(std::string& text) {
  text.resize(text.capacity());
  wipe(text.data(), text.size());
  text.clear();
}

[[gnu::noinline]] void wipe_stack() {
  std::array<char, kDepth> below;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  wipe(below.data(), below.size());
}

}  // namespace base
