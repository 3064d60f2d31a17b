// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>
#include <gtest/gtest.h>

#include "base/result.h"

namespace base {
namespace {

TEST(Error, SaysWhatFailedAndWhy) {
  EXPECT_EQ("cannot start vmi: No such file or directory",
            (Error{Code::pty_spawn_failed, ENOENT, "cannot start vmi"}.message()));
  EXPECT_EQ("bad size", (Error{Code::invalid_param, 0, "bad size"}.message()));
}

TEST(Error, CodesHaveTheNamesOfTheProtocol) {
  EXPECT_EQ("PTY_SPAWN_FAILED", code_name(Code::pty_spawn_failed));
  EXPECT_EQ("INTERNAL", code_name(Code::internal));
}

TEST(Result, PassesAnErrorOn) {
  Result<int> inner = fail(Code::pty_timeout, 0, "too late");
  const Result<void> outer = [&]() -> Result<void> { return fail(inner); }();
  ASSERT_FALSE(outer);
  EXPECT_EQ(Code::pty_timeout, outer.error().code);
  EXPECT_EQ("too late", outer.error().what);
}

}  // namespace
}  // namespace base
