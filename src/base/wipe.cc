// SPDX-License-Identifier: Apache-2.0
#include "base/wipe.h"

#include <array>
#include <cstring>

namespace base {
namespace {

// Deeper than any call that has keys or an answer in its hands; the large buffers are not on the stack.
constexpr size_t kDepth = 32 << 10;

// Those that belong to nobody across a call. The upper sixteen of AVX-512 are used by the C library alone:
// code that is made for every machine does not know them.
void wipe_registers() {
#if defined(__x86_64__)
  asm volatile(
      ".irp each, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
      "pxor %%xmm\\each, %%xmm\\each\n"
      ".endr" ::
          : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
            "xmm12", "xmm13", "xmm14", "xmm15");
  if (__builtin_cpu_supports("avx")) asm volatile("vzeroall" ::: "memory");
  if (__builtin_cpu_supports("avx512f"))
    asm volatile(
        ".irp each, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
        "vpxorq %%zmm\\each, %%zmm\\each, %%zmm\\each\n"
        ".endr" ::
            : "memory");
#elif defined(__aarch64__)
  asm volatile(
      ".irp each, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
      "movi v\\each\\().2d, #0\n"
      ".endr" ::
          : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
            "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#endif
}

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
  wipe_registers();
}

}  // namespace base
