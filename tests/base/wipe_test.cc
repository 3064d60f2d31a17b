// SPDX-License-Identifier: Apache-2.0
#include "base/wipe.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace base {
namespace {

TEST(Wipe, LeavesNothingOfAStringBeyondItsEnd) {
  std::string text(100, 'x');
  const char* bytes = text.data();
  text.resize(3);
  wipe(text);
  EXPECT_TRUE(text.empty());
  for (size_t i = 0; i < 100; i++) EXPECT_EQ('\0', bytes[i]) << i;
}

#if defined(__x86_64__)
using Wide = std::array<char, 64>;

// As the C library leaves it when it has copied something.
TEST(WipeStack, LeavesNothingInTheRegistersThatTextIsMovedThrough) {
  Wide seen;
  seen.fill('x');
  asm volatile("movdqu %0, %%xmm5" ::"m"(seen) : "xmm5");
  wipe_stack();
  asm volatile("movdqu %%xmm5, %0" : "=m"(seen));
  EXPECT_EQ(std::string(16, '\0'), std::string(seen.data(), 16));
  if (!__builtin_cpu_supports("avx512f")) return;
  seen.fill('x');
  asm volatile("vmovdqu64 %0, %%zmm17" ::"m"(seen));
  wipe_stack();
  asm volatile("vmovdqu64 %%zmm17, %0" : "=m"(seen));
  EXPECT_EQ(std::string(64, '\0'), std::string(seen.data(), seen.size()));
}
#endif

}  // namespace
}  // namespace base
