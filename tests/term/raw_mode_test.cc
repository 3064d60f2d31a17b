// SPDX-License-Identifier: Apache-2.0
// RawMode in this process, on a terminal that is not its controlling one. The ways out that end a process are
// in fatal_test.cc and raw_process_test.cc, suspending in job_control_test.cc.
#include "term/raw_mode.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/fd.h"
#include "support/terminal.h"
#include "term/guard_state.h"
#include "term/window_size.h"

namespace term {
namespace {

struct Pty {
  Pty() {
    int ends[2] = {-1, -1};
    const winsize size{.ws_row = 30, .ws_col = 90, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(0, ::openpty(&ends[0], &ends[1], nullptr, nullptr, &size));
    master = base::Fd(ends[0]);
    slave = base::Fd(ends[1]);
    before = settings();
  }
  termios settings() const {
    termios now{};
    EXPECT_EQ(0, ::tcgetattr(slave.get(), &now));
    return now;
  }
  bool is_raw() const { return (settings().c_lflag & (ICANON | ECHO | ISIG)) == 0; }
  bool is_restored() const { return support::same_settings(before, settings()); }

  base::Fd master;
  base::Fd slave;
  termios before{};
};

RawMode open(const Pty& pty) { return std::move(*RawMode::open(pty.slave.get())); }

std::vector<uintptr_t> dispositions() {
  std::vector<uintptr_t> all;
  for (const int signo : guard::kSignals) {
    struct sigaction now{};
    ::sigaction(signo, nullptr, &now);
    all.push_back(reinterpret_cast<uintptr_t>(now.sa_sigaction));
  }
  return all;
}

// The plan's fifteen.

TEST(RawModeInitialization, SucceedsOnATerminalAndChangesNothing) {
  const Pty pty;
  const auto raw = RawMode::open(pty.slave.get());
  ASSERT_TRUE(raw);
  EXPECT_FALSE(raw->entered());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeInitialization, WorksThroughTheDescriptorItWasGiven) {
  const Pty pty;
  const Pty other;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  EXPECT_TRUE(pty.is_raw());
  EXPECT_TRUE(other.is_restored());
}

TEST(RawModeInitialization, SavesTheOriginalModesWhenItEntersNotWhenItOpens) {
  const Pty pty;
  RawMode raw = open(pty);
  termios changed = pty.settings();
  changed.c_cc[VERASE] = '#';
  ASSERT_EQ(0, ::tcsetattr(pty.slave.get(), TCSANOW, &changed));
  ASSERT_TRUE(raw.enter());
  ASSERT_TRUE(raw.leave());
  EXPECT_TRUE(support::same_settings(changed, pty.settings()));
}

TEST(RawModeEntering, MakesTheTerminalRawWithBlockingReads) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  EXPECT_TRUE(raw.entered());
  EXPECT_TRUE(raw.holds_terminal());
  const termios now = pty.settings();
  EXPECT_EQ(0U, now.c_lflag & (ICANON | ECHO | ISIG | IEXTEN));
  EXPECT_EQ(0U, now.c_iflag & (ICRNL | IXON | ISTRIP | BRKINT));
  EXPECT_EQ(0U, now.c_oflag & OPOST);
  EXPECT_EQ(static_cast<tcflag_t>(CS8), now.c_cflag & CSIZE);
  EXPECT_EQ(1, now.c_cc[VMIN]) << "0 would make a loop spin, and silence look like a hang-up";
  EXPECT_EQ(0, now.c_cc[VTIME]);
}

TEST(RawModeEntering, LeavingRestoresTheTerminal) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  EXPECT_TRUE(raw.leave());
  EXPECT_FALSE(raw.entered());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeEntering, EnteringTwiceIsEnteringOnce) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  EXPECT_TRUE(raw.enter());
  EXPECT_TRUE(pty.is_raw());
  EXPECT_TRUE(raw.leave());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeEntering, LeavingTwiceIsLeavingOnce) {
  const Pty pty;
  RawMode raw = open(pty);
  EXPECT_TRUE(raw.leave());
  ASSERT_TRUE(raw.enter());
  EXPECT_TRUE(raw.leave());
  termios changed = pty.settings();
  changed.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ASSERT_EQ(0, ::tcsetattr(pty.slave.get(), TCSANOW, &changed));
  EXPECT_TRUE(raw.leave());
  EXPECT_TRUE(support::same_settings(changed, pty.settings())) << "the second one touches nothing";
}

TEST(RawModePreservation, KeepsUnusualOriginalModes) {
  Pty pty;
  pty.before.c_iflag |= IXOFF | IUTF8;
  pty.before.c_lflag &= ~static_cast<tcflag_t>(ECHOE);
  pty.before.c_cc[VINTR] = 7;
  pty.before.c_cc[VMIN] = 5;
  ASSERT_EQ(0, ::tcsetattr(pty.slave.get(), TCSANOW, &pty.before));
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  EXPECT_NE(0U, pty.settings().c_iflag & IUTF8) << "what raw mode is not about stays";
  ASSERT_TRUE(raw.leave());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModePreservation, OneCycleLeavesModesAndSignalsAsTheyWere) {
  const Pty pty;
  const auto before = dispositions();
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  EXPECT_NE(before, dispositions()) << "handlers come with entering";
  ASSERT_TRUE(raw.leave());
  EXPECT_EQ(before, dispositions()) << "and go with leaving";
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModePreservation, ManyCyclesAreLikeOne) {
  const Pty pty;
  const auto before = dispositions();
  RawMode raw = open(pty);
  for (int cycle = 0; cycle < 50; cycle++) {
    ASSERT_TRUE(raw.enter());
    ASSERT_TRUE(pty.is_raw());
    ASSERT_TRUE(raw.leave());
    ASSERT_TRUE(pty.is_restored());
  }
  EXPECT_EQ(before, dispositions());
}

TEST(RawModeWindowSize, CanBeAskedInRawMode) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  EXPECT_EQ((WindowSize{.cols = 90, .rows = 30}), window_size(pty.slave.get()));
}

TEST(RawModeWindowSize, FallsBackToTheEnvironment) {
  const Lookup lookup = [](const char* name) { return std::string_view(name) == "LINES" ? "50" : "120"; };
  EXPECT_EQ((WindowSize{.cols = 120, .rows = 50}), window_size(-1, lookup));
}

TEST(RawModeErrors, AnEmptyObjectRefusesToEnterAndLeavesQuietly) {
  const Pty pty;
  RawMode raw = open(pty);
  const RawMode taken = std::move(raw);
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): that is the question
  EXPECT_FALSE(raw.enter());
  EXPECT_TRUE(raw.leave());
  EXPECT_EQ(-1, raw.events_fd());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeErrors, AnInvalidDescriptorIsNoTerminal) {
  EXPECT_FALSE(RawMode::open(-1));
  EXPECT_FALSE(RawMode::open(9999));
  auto pipe = base::make_pipe();
  ASSERT_TRUE(pipe);
  const auto raw = RawMode::open(pipe->read_end.get());
  ASSERT_FALSE(raw);
  EXPECT_EQ(0U, raw.error().message().find("not a terminal"));
}

TEST(RawModeErrors, TheDestructorLeaves) {
  const Pty pty;
  const auto before = dispositions();
  {
    RawMode raw = open(pty);
    ASSERT_TRUE(raw.enter());
    EXPECT_TRUE(pty.is_raw());
  }
  EXPECT_TRUE(pty.is_restored());
  EXPECT_EQ(before, dispositions());
}

// One owner per terminal.

TEST(RawModeOwner, NestedEnteringCounts) {
  const Pty pty;
  RawMode outer = open(pty);
  ASSERT_TRUE(outer.enter());
  {
    RawMode inner = open(pty);
    ASSERT_TRUE(inner.enter());
    ASSERT_TRUE(inner.enter());
  }
  EXPECT_TRUE(pty.is_raw()) << "the outer one has not left";
  ASSERT_TRUE(outer.leave());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeOwner, ASecondDescriptorOfTheSameTerminalDoesNotSaveRawAsTheOriginal) {
  const Pty pty;
  const base::Fd again(::open(::ttyname(pty.slave.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  auto second = RawMode::open(again.get());
  ASSERT_TRUE(second);
  RawMode first = open(pty);
  ASSERT_TRUE(first.enter());
  ASSERT_TRUE(second->enter());
  ASSERT_TRUE(first.leave());
  EXPECT_TRUE(pty.is_raw());
  ASSERT_TRUE(second->leave());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeOwner, AnotherTerminalIsRefusedUntilTheFirstIsLeft) {
  const Pty pty;
  const Pty other;
  RawMode first = open(pty);
  RawMode second = open(other);
  ASSERT_TRUE(first.enter());
  const auto entered = second.enter();
  ASSERT_FALSE(entered);
  EXPECT_EQ("this process already has another terminal in raw mode", entered.error().message());
  EXPECT_TRUE(other.is_restored());
  ASSERT_TRUE(first.leave());
  EXPECT_TRUE(second.enter());
  EXPECT_TRUE(other.is_raw());
}

TEST(RawModeOwner, MovingHandsTheTerminalOn) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  {
    const RawMode moved = std::move(raw);
    EXPECT_TRUE(moved.entered());
    EXPECT_TRUE(pty.is_raw());
  }
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeOwner, TheCallersDescriptorMayBeClosedMeanwhile) {
  const Pty pty;
  base::Fd copy(::dup(pty.slave.get()));
  auto raw = RawMode::open(copy.get());
  ASSERT_TRUE(raw && raw->enter());
  copy.reset();
  EXPECT_TRUE(raw->leave());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeOwner, TwoThreadsMayToggleAtOnce) {
  const Pty pty;
  std::atomic<bool> done{false};
  std::atomic<int> cooked_while_entered{0};
  const auto toggle = [&] {
    RawMode raw = open(pty);
    for (int i = 0; i < 300; i++) {
      ASSERT_TRUE(raw.enter());
      if (!pty.is_raw()) cooked_while_entered++;
      ASSERT_TRUE(raw.leave());
    }
  };
  {
    // Signals strike whichever thread they like all the while.
    std::jthread first(toggle);
    std::jthread second(toggle);
    const std::jthread striker([&] {
      while (!done) ::kill(::getpid(), SIGWINCH);
    });
    first.join();
    second.join();
    done = true;
  }
  EXPECT_EQ(0, cooked_while_entered);
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeOwner, OneObjectMayBeToggledByTwoThreads) {
  const Pty pty;
  RawMode raw = open(pty);
  const auto toggle = [&] {
    for (int i = 0; i < 300; i++) {
      ASSERT_TRUE(raw.enter());
      ASSERT_TRUE(raw.leave());
    }
  };
  {
    const std::jthread first(toggle);
    const std::jthread second(toggle);
  }
  EXPECT_FALSE(raw.entered());
  EXPECT_TRUE(pty.is_restored());
}

TEST(RawModeOwner, TheSavedStateIsSmall) { EXPECT_LE(sizeof(guard::State), 640U); }

// Signals that do not end anything.

TEST(RawModeSignals, AHandlerInstalledMeanwhileIsNotRemoved) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  const auto mine = [](int) {};
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = mine;
  ASSERT_EQ(0, ::sigaction(SIGTERM, &action, &before));
  ASSERT_TRUE(raw.leave());
  struct sigaction now{};
  ASSERT_EQ(0, ::sigaction(SIGTERM, nullptr, &now));
  EXPECT_EQ(action.sa_handler, now.sa_handler);
  ::signal(SIGTERM, SIG_DFL);
}

TEST(RawModeSignals, ThePreviousActionComesBackWithFlagsAndMask) {
  const Pty pty;
  struct sigaction action{};
  action.sa_sigaction = [](int, siginfo_t*, void*) {};
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaddset(&action.sa_mask, SIGUSR2);
  ASSERT_EQ(0, ::sigaction(SIGHUP, &action, nullptr));
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  ASSERT_TRUE(raw.leave());
  struct sigaction now{};
  ASSERT_EQ(0, ::sigaction(SIGHUP, nullptr, &now));
  EXPECT_EQ(action.sa_sigaction, now.sa_sigaction);
  EXPECT_EQ(action.sa_flags, now.sa_flags & (SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART));
  EXPECT_EQ(1, sigismember(&now.sa_mask, SIGUSR2));
  EXPECT_EQ(0, sigismember(&now.sa_mask, SIGUSR1));
  ::signal(SIGHUP, SIG_DFL);
}

TEST(RawModeSignals, HandlersKeepErrno) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  for (const int signo : {SIGWINCH, SIGCONT}) {
    errno = 4242;
    ::raise(signo);
    EXPECT_EQ(4242, errno);
  }
}

TEST(RawModeSignals, AResizeReachesThePollLoopOnce) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  pollfd watched{raw.events_fd(), POLLIN, 0};
  EXPECT_EQ(0, ::poll(&watched, 1, 0)) << "nothing has happened yet";
  ::raise(SIGWINCH);
  ASSERT_EQ(1, ::poll(&watched, 1, 60'000));
  const Events events = raw.take_events();
  EXPECT_TRUE(events.resized);
  EXPECT_FALSE(events.continued);
  EXPECT_FALSE(raw.take_events().resized);
}

TEST(RawModeSignals, ContinuingMakesTheTerminalRawAgain) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  ASSERT_EQ(0, ::tcsetattr(pty.slave.get(), TCSANOW, &pty.before));  // as a shell does after a SIGSTOP
  ::raise(SIGCONT);
  EXPECT_TRUE(pty.is_raw());
  const Events events = raw.take_events();
  EXPECT_TRUE(events.continued);
  EXPECT_TRUE(events.resized) << "the window may have changed meanwhile";
}

TEST(RawModeSignals, SignalsMaskOfTheCallerIsKept) {
  const Pty pty;
  sigset_t before;
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  ASSERT_TRUE(raw.leave());
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signo = 1; signo <= 31; signo++)
    EXPECT_EQ(sigismember(&before, signo), sigismember(&after, signo)) << signo;
}

// Leftovers.

TEST(RawModeLeftovers, LeavingUndoesWhatIsOnAndNothingElse) {
  const Pty pty;
  char bytes[100];
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  raw.leftovers().feed("\x1b[?2004h\x1b[?1049h\x1b[?1049l");
  ASSERT_TRUE(raw.leave());
  const ssize_t n = ::read(pty.master.get(), bytes, sizeof bytes);
  ASSERT_GT(n, 0);
  EXPECT_EQ("\x1b[?2004l", std::string(bytes, static_cast<size_t>(n)));
}

TEST(RawModeLeftovers, ATerminalWithoutLeftoversGetsNoByte) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  ASSERT_TRUE(raw.leave());
  pollfd watched{pty.master.get(), POLLIN, 0};
  EXPECT_EQ(0, ::poll(&watched, 1, 0));
}

TEST(RawModeLeftovers, AreForgottenBetweenOneEnteringAndTheNext) {
  const Pty pty;
  RawMode raw = open(pty);
  ASSERT_TRUE(raw.enter());
  raw.leftovers().feed("\x1b[?2004h");
  ASSERT_TRUE(raw.leave());
  ASSERT_TRUE(raw.enter());
  EXPECT_TRUE(raw.leftovers().empty());
}

// Somebody else may be at the terminal, and is not any more when it is given back.
TEST(RawMode, RecallsATerminalThatIsLentBeforeItIsRestored) {
  const Pty pty;
  struct Seen {
    const Pty& pty;
    int calls = 0;
    bool was_raw = false;
  } seen{.pty = pty};
  const auto recalled = [](void* context) noexcept {
    Seen& here = *static_cast<Seen*>(context);
    here.calls++;
    here.was_raw = here.pty.is_raw();
  };
  auto raw = RawMode::open(pty.slave.get());
  ASSERT_TRUE(raw && raw->enter());
  raw->on_recall(recalled, &seen);
  raw->recall();
  EXPECT_EQ(seen.calls, 1);
  ASSERT_TRUE(raw->leave());
  EXPECT_EQ(seen.calls, 2);
  EXPECT_TRUE(seen.was_raw);
  // Whoever enters next has lent nothing.
  ASSERT_TRUE(raw->enter());
  ASSERT_TRUE(raw->leave());
  EXPECT_EQ(seen.calls, 2);
}

}  // namespace
}  // namespace term
