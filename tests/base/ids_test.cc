// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <gtest/gtest.h>
#include <set>

namespace base {
namespace {

TEST(Ids, AreWellFormedAndDifferent) {
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; i++) {
    const std::string id = new_id();
    EXPECT_TRUE(is_id(id)) << id;
    EXPECT_TRUE(seen.insert(id).second) << id;
  }
}

TEST(Ids, UseEveryLetterAtEveryPlace) {
  std::set<char> seen[16];
  for (int i = 0; i < 5'000; i++) {
    const std::string id = new_id();
    for (size_t place = 0; place < id.size(); place++) seen[place].insert(id[place]);
  }
  for (const auto& letters : seen) EXPECT_EQ(32U, letters.size());
}

TEST(Ids, OtherTextIsNoId) {
  EXPECT_FALSE(is_id(""));
  EXPECT_FALSE(is_id("../../etc/passwd"));
  EXPECT_FALSE(is_id("0123456789abcde"));
  EXPECT_FALSE(is_id("0123456789abcdeF"));
}

}  // namespace
}  // namespace base
