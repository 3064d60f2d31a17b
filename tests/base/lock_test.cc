// SPDX-License-Identifier: Apache-2.0
#include "base/lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>

#include "base/fd.h"
#include "support/temp_dir.h"

namespace base {
namespace {

class Lock : public testing::Test {
 protected:
  Fd open(int how) const { return Fd(::open(folder_.file("lock").c_str(), how | O_CREAT | O_CLOEXEC, 0600)); }
  support::TempDir folder_;
};

TEST_F(Lock, IsHeldByOneOpeningAndGoesWithIt) {
  Fd first = open(O_RDWR);
  const Fd second = open(O_RDWR);
  EXPECT_TRUE(*take_lock(first.get()));
  EXPECT_FALSE(*take_lock(second.get()));
  first.reset();
  EXPECT_TRUE(*take_lock(second.get()));
}

TEST_F(Lock, IsHeldForAsLongAsACopyIsOpen) {
  Fd first = open(O_RDWR);
  const Fd second = open(O_RDWR);
  ASSERT_TRUE(*take_lock(first.get()));
  auto copy = duplicate(first.get());
  ASSERT_TRUE(copy);
  first.reset();
  EXPECT_FALSE(*take_lock(second.get()));
}

TEST_F(Lock, IsSeenByWhoCanOnlyReadTheFileAndIsNotTakenByIt) {
  const Fd holder = open(O_RDWR);
  const Fd reader = open(O_RDONLY);
  EXPECT_FALSE(is_locked(reader.get()));
  EXPECT_TRUE(*take_lock(holder.get())) << "looking has taken it";
  EXPECT_TRUE(is_locked(reader.get()));
  EXPECT_FALSE(is_locked(holder.get())) << "nobody else has it";
}

TEST_F(Lock, OfNothingIsAnError) {
  EXPECT_FALSE(take_lock(-1));
  EXPECT_FALSE(is_locked(-1));
}

}  // namespace
}  // namespace base
