// SPDX-License-Identifier: Apache-2.0
#include "pty/loan.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <random>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

#include "support/temp_dir.h"
#include "support/wait.h"

namespace pty {
namespace {

using base::Fd;

// A terminal, raw as a client makes it, with a journal whose output it shows.
class LoanTest : public testing::Test {
 protected:
  void SetUp() override {
    int master = -1;
    int slave = -1;
    termios raw{};
    ::cfmakeraw(&raw);
    ASSERT_EQ(::openpty(&master, &slave, nullptr, &raw, nullptr), 0);
    master_.reset(master);
    slave_.reset(slave);
    ASSERT_TRUE(base::set_nonblocking(master));
    const Fd folder(::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const Fd file = Journal::create(folder.get(), "journal", 4 << 20).value();
    journal_.emplace(Journal::map(file.get(), Journal::Access::write).value());
    lender_.emplace(Lender::make(slave, slave).value());
  }

  void write(std::string_view text) {
    const base::Pipe pipe = base::make_pipe().value();
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, 32 << 10);
      ASSERT_EQ(::write(pipe.write_end.get(), piece.data(), piece.size()),
                static_cast<ssize_t>(piece.size()));
      ASSERT_TRUE(journal_->take(pipe.read_end.get(), piece.size()));
      text.remove_prefix(piece.size());
    }
  }

  std::vector<Fd> sent() const {
    std::vector<Fd> all;
    for (const int fd : lender_->descriptors()) all.push_back(base::duplicate(fd).value());
    return all;
  }
  Borrower borrow() const { return Borrower::take(sent(), ::getpid()).value(); }

  // What the terminal shows beyond what was read before.
  std::string shown() const {
    std::string all;
    std::array<char, 4096> buffer;
    pollfd ready{master_.get(), POLLIN, 0};
    while (::poll(&ready, 1, 0) > 0) {
      const ssize_t n = ::read(master_.get(), buffer.data(), buffer.size());
      if (n <= 0) break;
      all.append(buffer.data(), static_cast<size_t>(n));
    }
    return all;
  }
  bool shows(std::string_view text) const {
    std::string all;
    return support::wait_until([&] { return (all += shown()) == text; });
  }

  support::TempDir dir_;
  Fd master_;
  Fd slave_;
  std::optional<Journal> journal_;
  std::optional<Lender> lender_;
};

TEST_F(LoanTest, ABorrowerShowsOutputAndTakesKeysAndTheLenderKnowsHowFar) {
  write("some output");
  Borrower borrower = borrow();
  const uint64_t round = lender_->lend({.offset = 5, .typed = 7, .reached = 6});
  {
    Borrower::Turn turn(borrower, round);
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn.show(*journal_, 11), 11u);
    ASSERT_EQ(::write(master_.get(), "key", 3), 3);
    std::array<char, 16> keys;
    size_t count = 0;
    ASSERT_TRUE(support::wait_until([&] { return (count = turn.read(keys, 7)) > 0; }));
    EXPECT_EQ(std::string_view(keys.data(), count), "key");
  }
  EXPECT_TRUE(shows("output"));
  borrower.note_keys(10, 10);
  const Standing back = lender_->take_back(-1);
  EXPECT_EQ(back.offset, 11u);
  EXPECT_EQ(back.typed, 10u);
  EXPECT_EQ(back.reached, 10u);
}

TEST_F(LoanTest, NobodyHasATurnAtATerminalThatIsNotLentOrWasLentAnew) {
  write("text");
  const Borrower borrower = borrow();
  EXPECT_FALSE(Borrower::Turn(borrower, 0));
  const uint64_t first = lender_->lend({});
  (void)lender_->take_back(-1);
  EXPECT_FALSE(Borrower::Turn(borrower, first));
  const uint64_t second = lender_->lend({});
  EXPECT_FALSE(Borrower::Turn(borrower, first));
  EXPECT_TRUE(Borrower::Turn(borrower, second));
}

TEST_F(LoanTest, ATerminalThatTakesNoMoreTakesAPartAndTheRestComesLater) {
  std::string text;
  for (int i = 0; text.size() < 1 << 20; i++) text += std::to_string(i) + "\n";
  write(text);
  const Borrower borrower = borrow();
  const uint64_t round = lender_->lend({});
  std::string all;
  ASSERT_TRUE(support::wait_until([&] {
    Borrower::Turn(borrower, round).show(*journal_, text.size());
    all += shown();
    return all.size() >= text.size();
  }));
  EXPECT_EQ(all, text);
}

// It may be anywhere in a turn; and whoever comes next goes on where it was.
TEST_F(LoanTest, HundredsOfKilledBorrowersShowNothingTwiceAndLeaveNothingOut) {
  constexpr int kKills = 800;
  std::string text;
  for (int i = 0; text.size() < 4 << 20; i++) text += std::to_string(i) + "\n";
  text.resize(4 << 20);
  write(text);
  std::mt19937 random(std::random_device{}());
  Standing standing;
  std::string all;
  size_t total = 0;
  for (int kills = 0; kills < kKills; kills++) {
    // However quick they are there is more to show: nothing is read from the terminal while this does not
    // run.
    if (standing.offset > text.size() / 2) {
      ASSERT_EQ(all, text.substr(0, all.size()));
      total += all.size();
      all.clear();
      standing.offset = 0;
    }
    const uint64_t round = lender_->lend(standing);
    const pid_t pid = ::fork();
    if (pid == 0) {
      const Borrower borrower = borrow();
      for (;;) {
        Borrower::Turn turn(borrower, round);
        const uint64_t from = turn.show(*journal_, 0);
        turn.show(*journal_, std::min<uint64_t>(from + 1 + random() % 60, text.size()));
      }
    }
    const Fd borrower(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    // A random moment is the point of this, not a wait for something.
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 1500);
    while (std::chrono::steady_clock::now() < until) all += shown();
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    standing = lender_->take_back(borrower.get());
    ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
    ASSERT_TRUE(support::wait_until([&] { return (all += shown()).size() >= standing.offset; }));
    ASSERT_EQ(all.size(), standing.offset);
    ASSERT_LT(standing.offset, text.size());
  }
  EXPECT_GT(total + all.size(), 100'000u);
  EXPECT_EQ(all, text.substr(0, all.size()));
}

TEST_F(LoanTest, ABorrowerThatHangsIsNotWaitedForForEver) {
  write("text");
  const Borrower borrower = borrow();
  const uint64_t round = lender_->lend({.offset = 1});
  {
    const Borrower::Turn turn(borrower, round);
    ASSERT_TRUE(turn);
    EXPECT_EQ(lender_->take_back(-1).offset, 1u);
  }
  EXPECT_FALSE(Borrower::Turn(borrower, round));
}

TEST_F(LoanTest, ALenderThatIsStoppedDoesNotHaveItsTerminal) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (;;) ::pause();
  }
  Borrower borrower = Borrower::take(sent(), pid).value();
  EXPECT_TRUE(borrower.lender_in_front());
  ::kill(pid, SIGSTOP);
  EXPECT_TRUE(support::wait_until([&] { return !borrower.lender_in_front(); }));
  ::kill(pid, SIGCONT);
  EXPECT_TRUE(support::wait_until([&] { return borrower.lender_in_front(); }));
  ::kill(pid, SIGKILL);
  EXPECT_TRUE(support::wait_until([&] { return !borrower.lender_in_front(); }));
  ::waitpid(pid, nullptr, 0);
}

TEST_F(LoanTest, WhatIsNotALoanIsRefused) {
  EXPECT_FALSE(Borrower::take({}, ::getpid()));
  for (size_t i = 0; i < Lender::kDescriptors; i++) {
    auto wrong = sent();
    wrong[i].reset(::open("/dev/null", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    EXPECT_FALSE(Borrower::take(std::move(wrong), ::getpid())) << i;
  }
  // A page that could be taken away under its reader, and one that is not whole.
  for (const bool sealed : {false, true}) {
    auto wrong = sent();
    wrong[0].reset(::memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(wrong[0].get(), sealed ? 100 : 4096), 0);
    if (sealed) {
      ASSERT_EQ(::fcntl(wrong[0].get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    }
    EXPECT_FALSE(Borrower::take(std::move(wrong), ::getpid()));
  }
  // A terminal that could hang the reader.
  auto wrong = sent();
  wrong[3] = base::duplicate(slave_.get()).value();
  EXPECT_FALSE(Borrower::take(std::move(wrong), ::getpid()));
  EXPECT_FALSE(Lender::make(slave_.get(), 1 << 20));
}

}  // namespace
}  // namespace pty
