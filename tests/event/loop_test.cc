// SPDX-License-Identifier: Apache-2.0
#include "event/loop.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/fd.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace event {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class LoopTest : public testing::Test {
 protected:
  LoopTest() {
    int ends[2];
    EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
    near_.reset(ends[0]);
    far_.reset(ends[1]);
  }
  void ring() { ASSERT_EQ(1, ::write(far_.get(), "x", 1)); }
  // Runs what is queued behind what is ready now, and stops.
  void run_for(milliseconds time) {
    Timer end(loop_, [this] { loop_.stop(); });
    end.set_after(time);
    loop_.run();
  }

  Loop loop_;
  base::Fd near_;
  base::Fd far_;
};

TEST_F(LoopTest, AWatchCallsForAsLongAsThereIsSomething) {
  int calls = 0;
  Watch watch(loop_, near_.get(), [&](Ready ready) {
    EXPECT_TRUE(ready.input);
    EXPECT_FALSE(ready.output);
    if (++calls == 3) loop_.stop();  // nothing is read, so it comes again
  });
  watch.want({.input = true});
  ring();
  loop_.run();
  EXPECT_EQ(3, calls);
}

TEST_F(LoopTest, AWatchCallsForWhatIsWantedOnly) {
  std::vector<std::string> calls;
  std::optional<Watch> watch;
  watch.emplace(loop_, near_.get(), [&](Ready ready) {
    calls.emplace_back(ready.input ? "input" : "output");
    if (ready.output) watch->want({.input = true});
    if (ready.input) {
      char byte = 0;
      EXPECT_EQ(1, ::read(near_.get(), &byte, 1));
      watch->want({});
      ring();
      loop_.post([&] { loop_.stop(); });
    }
  });
  watch->want({.output = true});
  ring();
  loop_.run();
  EXPECT_EQ((std::vector<std::string>{"output", "input"}), calls);
}

TEST_F(LoopTest, AStopCountsForARunThatIsStillToBeginAndForOneRunOnly) {
  int calls = 0;
  Timer timer(loop_, [&] {
    calls++;
    loop_.stop();
  });
  timer.set_after(milliseconds(0));
  loop_.stop();
  loop_.run();
  EXPECT_EQ(0, calls);
  loop_.run();
  EXPECT_EQ(1, calls);
  timer.set_after(milliseconds(0));
  loop_.run();
  EXPECT_EQ(2, calls);
}

TEST_F(LoopTest, AHangUpCountsAsInput) {
  bool called = false;
  Watch watch(loop_, near_.get(), [&](Ready) {
    called = true;
    loop_.stop();
  });
  watch.want({.input = true});
  far_.reset();
  loop_.run();
  EXPECT_TRUE(called);
}

TEST_F(LoopTest, ADestroyedWatchIsNeverCalledEvenFromAnotherCallOfTheSameTurn) {
  int ends[2];
  ASSERT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
  const base::Fd other_near(ends[0]);
  const base::Fd other_far(ends[1]);
  std::optional<Watch> one;
  std::optional<Watch> two;
  int calls = 0;
  // Both are ready in one turn; whichever is called first destroys both.
  const auto destroy = [&](Ready) {
    calls++;
    one.reset();
    two.reset();
  };
  one.emplace(loop_, near_.get(), destroy);
  two.emplace(loop_, other_near.get(), destroy);
  one->want({.input = true});
  two->want({.input = true});
  ring();
  ASSERT_EQ(1, ::write(other_far.get(), "x", 1));
  run_for(milliseconds(50));
  EXPECT_EQ(1, calls);
  EXPECT_NE(-1, ::fcntl(near_.get(), F_GETFD)) << "the descriptor is its owner's";
}

TEST_F(LoopTest, ADescriptorCanBeWatchedAnew) {
  for (int i = 0; i < 3; i++) {
    bool called = false;
    {
      Watch watch(loop_, near_.get(), [&](Ready) {
        char byte = 0;
        called = ::read(near_.get(), &byte, 1) == 1;
        loop_.stop();
      });
      watch.want({.input = true});
      ring();
      loop_.run();
      loop_.context().restart();
    }
    EXPECT_TRUE(called);
  }
}

TEST_F(LoopTest, ATimerComesOnceAndInOrder) {
  std::string order;
  Timer late(loop_, [&] {
    order += "late ";
    loop_.stop();
  });
  Timer early(loop_, [&] { order += "early "; });
  late.set_after(milliseconds(20));
  early.set_after(milliseconds(1));
  EXPECT_TRUE(early.pending());
  loop_.run();
  EXPECT_EQ("early late ", order);
  EXPECT_FALSE(early.pending());
}

TEST_F(LoopTest, ATimerThatIsSetAgainComesAtTheNewTimeOnly) {
  int calls = 0;
  Timer timer(loop_, [&] { calls++; });
  for (int i = 0; i < 10; i++) timer.set_after(milliseconds(1));
  timer.set_after(hours(1));
  run_for(milliseconds(30));
  EXPECT_EQ(0, calls);
  EXPECT_TRUE(timer.pending());
  timer.set_after(milliseconds(0));
  loop_.context().restart();
  run_for(milliseconds(30));
  EXPECT_EQ(1, calls);
}

TEST_F(LoopTest, ADestroyedOrCancelledTimerIsNeverCalledEvenFromAnotherCallOfTheSameTurn) {
  int calls = 0;
  std::optional<Timer> one;
  std::optional<Timer> two;
  std::optional<Timer> three;
  const auto now = std::chrono::steady_clock::now();
  one.emplace(loop_, [&] {
    calls++;
    two.reset();
    three->cancel();
  });
  two.emplace(loop_, [&] {
    calls++;
    one.reset();
    three->cancel();
  });
  three.emplace(loop_, [&] { calls += 10; });
  // All are due at once.
  one->set(now);
  two->set(now);
  three->set(now + milliseconds(1));
  std::this_thread::sleep_until(now + milliseconds(3));
  run_for(milliseconds(30));
  EXPECT_EQ(1, calls);
}

TEST_F(LoopTest, ATimerMayDestroyItself) {
  std::optional<Timer> timer;
  bool called = false;
  timer.emplace(loop_, [&] {
    timer.reset();
    called = true;
  });
  timer->set_after(milliseconds(0));
  run_for(milliseconds(20));
  EXPECT_TRUE(called);
}

TEST_F(LoopTest, PostRunsInTheLoopFromAnyThreadAndInOrderOfEach) {
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  std::vector<int> last(kThreads, -1);
  int sum = 0;
  const auto loop_thread = std::this_thread::get_id();
  Timer keep(loop_, [] {});
  keep.set_after(hours(1));
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; i++) {
        loop_.post([&, t, i] {
          EXPECT_EQ(loop_thread, std::this_thread::get_id());
          EXPECT_EQ(last[static_cast<size_t>(t)] + 1, i);
          last[static_cast<size_t>(t)] = i;
          if (++sum == kThreads * kEach) loop_.stop();
        });
      }
    });
  }
  loop_.run();
  EXPECT_EQ(kThreads * kEach, sum);
}

TEST_F(LoopTest, NothingWakesItUpWhileNothingHappens) {
  Watch watch(loop_, near_.get(), [](Ready) {});
  watch.want({.input = true});
  Timer far_away(loop_, [] {});
  far_away.set_after(hours(1));
  std::atomic<pid_t> thread = 0;
  std::jthread runner([&] {
    thread = ::gettid();
    loop_.run();
  });
  ASSERT_TRUE(support::wait_until([&] { return thread != 0; }));
  const auto wakeups = [&] {
    const std::string status = support::read_file("/proc/self/task/" + std::to_string(thread) + "/status");
    return status.substr(status.find("voluntary_ctxt_switches"));
  };
  // Once it sleeps it stays asleep.
  EXPECT_TRUE(support::wait_until([&] {
    const std::string before = wakeups();
    const auto end = std::chrono::steady_clock::now() + milliseconds(300);
    support::wait_until([&] { return std::chrono::steady_clock::now() > end; });
    return wakeups() == before;
  }));
  loop_.post([&] { loop_.stop(); });
}

}  // namespace
}  // namespace event
