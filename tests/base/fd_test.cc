// SPDX-License-Identifier: Apache-2.0
#include "base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace base {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, ClosesOnceAndMovesOwnership) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const int number = pipe->read_end.get();
  {
    Fd moved = std::move(pipe->read_end);
    EXPECT_FALSE(pipe->read_end);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, ReleaseHandsTheDescriptorOut) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const int number = pipe->read_end.release();
  pipe->read_end.reset();
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(Fd, PipesAndDuplicatesDoNotLeakIntoChildren) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  auto copy = duplicate(pipe->read_end.get());
  ASSERT_TRUE(copy);
  for (const int fd : {pipe->read_end.get(), pipe->write_end.get(), copy->get()})
    EXPECT_NE(0, ::fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

TEST(Fd, DuplicateOfNothingIsAnError) { EXPECT_FALSE(duplicate(-1)); }

TEST(WriteAll, WritesEverythingToASlowReader) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const std::string sent(3'000'000, 'x');
  size_t received = 0;
  std::jthread reader([&, fd = pipe->read_end.get()] {
    char bytes[5000];
    while (received < sent.size()) {
      const ssize_t n = ::read(fd, bytes, sizeof bytes);
      if (n > 0) received += static_cast<size_t>(n);
    }
  });
  EXPECT_TRUE(write_all(pipe->write_end.get(), sent));
  reader.join();
  EXPECT_EQ(sent.size(), received);
}

}  // namespace
}  // namespace base
