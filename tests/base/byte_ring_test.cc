// SPDX-License-Identifier: Apache-2.0
#include "base/byte_ring.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace base {
namespace {

std::string take(ByteRing& ring, size_t most) {
  std::string out;
  while (out.size() < most && !ring.empty()) {
    const auto piece = ring.front();
    const size_t n = std::min(piece.size(), most - out.size());
    out.append(piece.data(), n);
    ring.pop(n);
  }
  return out;
}

TEST(ByteRing, RefusesWhatDoesNotFitAndKeepsWhatItHas) {
  ByteRing ring(10);
  EXPECT_TRUE(ring.push(std::string("12345678")));
  EXPECT_FALSE(ring.push(std::string("abc")));
  EXPECT_TRUE(ring.push(std::string("ab")));
  EXPECT_EQ(0U, ring.room());
  EXPECT_EQ("12345678ab", take(ring, 100));
}

TEST(ByteRing, BehavesLikeAStringWithABoundUnderRandomUse) {
  std::mt19937 random(7);
  ByteRing ring(100'000);
  std::string model;
  for (int round = 0; round < 20'000; round++) {
    std::string bytes(random() % 9000, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    if (random() % 2 == 0) {
      const bool fits = model.size() + bytes.size() <= 100'000;
      ASSERT_EQ(fits, ring.push(bytes));
      if (fits) model += bytes;
    } else {
      const size_t n = std::min(model.size(), bytes.size());
      ASSERT_EQ(model.substr(0, n), take(ring, n));
      model.erase(0, n);
    }
    ASSERT_EQ(model.size(), ring.size());
  }
}

}  // namespace
}  // namespace base
