// SPDX-License-Identifier: Apache-2.0
#include "pty/loan.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pty {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

enum class Holder : uint32_t { lender, free, busy };
enum class Stage : uint32_t { none, filling, moving };

struct LoanPage {
  uint64_t version;
  std::atomic<Holder> holder;
  std::atomic<Stage> stage;
  std::atomic<uint64_t> round;
  std::atomic<uint64_t> shown;
  std::atomic<uint64_t> intent;
  std::atomic<uint64_t> typed;
  std::atomic<uint64_t> reached;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<Holder>::is_always_lock_free);

namespace {

constexpr uint64_t kVersion = 1;
constexpr size_t kPageBytes = 4096;
constexpr size_t kMostAtOnce = 64 << 10;  // a pipe's worth
constexpr int kYields = 100;
constexpr int kPatienceMs = 1000;

Result<LoanMapping> map_page(int file) {
  void* page = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return fail(Code::internal, errno, "cannot map a loan");
  return LoanMapping(static_cast<LoanPage*>(page));
}

// The same number for /dev/tty and for the terminal it stands for.
std::optional<dev_t> device_of(int fd) {
  unsigned packed = 0;
  if (::ioctl(fd, TIOCGDEV, &packed) != 0) return {};
  return probe::unpack_device(packed);
}

Fd open_terminal(int input, int output) {
  const auto device = device_of(input);
  if (!device || device != device_of(output)) return {};
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", input);
  Fd terminal(::open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return terminal && device_of(terminal.get()) == device ? std::move(terminal) : Fd();
}

bool is_terminal(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0 && device_of(fd);
}

bool is_pipe(int fd) {
  struct stat about{};
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0 && ::fstat(fd, &about) == 0 && S_ISFIFO(about.st_mode);
}

// No more than it holds, whatever the other side does meanwhile.
void empty(int pipe) {
  char buffer[4096];
  for (size_t i = 0; i < kMostAtOnce / sizeof buffer; i++) {
    if (::read(pipe, buffer, sizeof buffer) <= 0) return;
  }
}

// One that its maker cannot make shorter: what is mapped of it stays there.
bool is_page(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  struct stat about{};
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && ::fstat(file, &about) == 0 &&
         about.st_size >= static_cast<off_t>(kPageBytes);
}

}  // namespace

LoanMapping& LoanMapping::operator=(LoanMapping&& other) noexcept {
  std::swap(page_, other.page_);
  return *this;
}

LoanMapping::~LoanMapping() {
  if (page_ != nullptr) ::munmap(page_, kPageBytes);
}

Result<Lender> Lender::make(int input, int output) {
  Lender lender;
  lender.terminal_ = open_terminal(input, output);
  if (!lender.terminal_) return fail(Code::internal, errno, "cannot open the terminal anew");
  lender.file_.reset(::memfd_create("tend-loan", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!lender.file_ || ::ftruncate(lender.file_.get(), kPageBytes) != 0 ||
      ::fcntl(lender.file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail(Code::internal, errno, "cannot make a loan's page");
  auto page = map_page(lender.file_.get());
  if (!page) return fail(page);
  lender.page_ = std::move(*page);
  lender.page_->version = kVersion;
  auto pipe = base::make_pipe();
  if (!pipe) return fail(pipe);
  lender.pipe_ = std::move(*pipe);
  return lender;
}

std::array<int, Lender::kDescriptors> Lender::descriptors() const {
  return {file_.get(), pipe_.read_end.get(), pipe_.write_end.get(), terminal_.get()};
}

uint64_t Lender::lend(const Standing& standing) {
  const uint64_t round = page_->round.load(std::memory_order_relaxed) + 1;
  page_->round.store(round, std::memory_order_relaxed);
  page_->shown.store(standing.offset, std::memory_order_relaxed);
  page_->typed.store(standing.typed, std::memory_order_relaxed);
  page_->reached.store(standing.reached, std::memory_order_relaxed);
  page_->holder.store(Holder::free, std::memory_order_release);
  return round;
}

Standing Lender::take_back(int borrower) const noexcept {
  Holder seen = Holder::free;
  for (int i = 0; !page_->holder.compare_exchange_strong(seen, Holder::lender, std::memory_order_acq_rel);
       i++) {
    if (seen == Holder::lender) break;
    if (i >= kYields) {
      pollfd ended{borrower, POLLIN, 0};
      if (i - kYields >= kPatienceMs || ::poll(&ended, 1, 1) > 0) {
        // It cannot give it back any more.
        page_->holder.store(Holder::lender, std::memory_order_release);
        settle();
        break;
      }
    } else {
      ::sched_yield();
    }
    seen = Holder::free;
  }
  return {.offset = page_->shown.load(std::memory_order_acquire),
          .typed = page_->typed.load(std::memory_order_relaxed),
          .reached = page_->reached.load(std::memory_order_relaxed)};
}

// What a borrower left that ended in the middle of a turn. What is in the pipe is in the journal too.
void Lender::settle() const noexcept {
  int left = 0;
  if (page_->stage.load(std::memory_order_acquire) == Stage::moving &&
      ::ioctl(pipe_.read_end.get(), FIONREAD, &left) == 0)
    page_->shown.store(page_->intent.load(std::memory_order_relaxed) - static_cast<uint64_t>(left),
                       std::memory_order_relaxed);
  page_->stage.store(Stage::none, std::memory_order_release);
  empty(pipe_.read_end.get());
}

Result<Borrower> Borrower::take(std::vector<Fd> descriptors, pid_t lender) {
  if (descriptors.size() != Lender::kDescriptors)
    return fail(Code::invalid_param, 0, "a loan is made of four descriptors");
  Borrower borrower;
  const Fd file = std::move(descriptors[0]);
  borrower.pipe_ = {std::move(descriptors[1]), std::move(descriptors[2])};
  borrower.terminal_ = std::move(descriptors[3]);
  if (!is_page(file.get()) || !is_pipe(borrower.pipe_.read_end.get()) ||
      !is_pipe(borrower.pipe_.write_end.get()) || !is_terminal(borrower.terminal_.get()))
    return fail(Code::invalid_param, 0, "this is not a loan");
  auto page = map_page(file.get());
  if (!page) return fail(page);
  borrower.page_ = std::move(*page);
  if (borrower.page_->version != kVersion)
    return fail(Code::version_mismatch, 0, "a loan of another version");
  borrower.device_ = device_of(borrower.terminal_.get()).value_or(0);
  borrower.lender_.emplace(probe::Task{.pid = lender, .tid = lender});
  borrower.turns_.emplace(probe::Task{.pid = lender, .tid = lender});
  if (!borrower.lender_in_front())
    return fail(Code::invalid_param, 0, "the lender does not have its terminal");
  return borrower;
}

bool Borrower::lender_in_front() {
  // Whoever is stopped has run for it. So one that was asleep and has not run since is still asleep: that is
  // a third of the work.
  const uint64_t turn = turns_->now();
  if (turn != 0 && turn == asleep_since_) return true;
  const auto now = lender_->now();
  const bool in_front =
      now && !now->stopped() && !now->dead() && (now->terminal != device_ || now->group == now->foreground);
  asleep_since_ = in_front && now->state == 'S' ? turn : 0;
  return in_front;
}

void Borrower::note_keys(uint64_t typed, uint64_t reached) const {
  page_->typed.store(typed, std::memory_order_relaxed);
  page_->reached.store(reached, std::memory_order_relaxed);
}

Borrower::Turn::Turn(const Borrower& borrower, uint64_t round) : borrower_(borrower) {
  Holder seen = Holder::free;
  held_ = borrower_.page_->holder.compare_exchange_strong(seen, Holder::busy, std::memory_order_acq_rel);
  if (!held_ || borrower_.page_->round.load(std::memory_order_relaxed) == round) return;
  give_back();
}

Borrower::Turn::~Turn() { give_back(); }

void Borrower::Turn::give_back() {
  // The lender may have lost its patience meanwhile.
  Holder seen = Holder::busy;
  if (std::exchange(held_, false))
    borrower_.page_->holder.compare_exchange_strong(seen, Holder::free, std::memory_order_acq_rel);
}

uint64_t Borrower::Turn::show(const Journal& journal, uint64_t end) {
  const LoanMapping& page = borrower_.page_;
  const uint64_t shown = page->shown.load(std::memory_order_relaxed);
  if (shown >= end || shown < journal.window().begin || end > journal.window().end) return shown;
  const std::string_view bytes = journal.view(shown, std::min<uint64_t>(end, shown + kMostAtOnce));
  page->intent.store(shown + bytes.size(), std::memory_order_relaxed);
  page->stage.store(Stage::filling, std::memory_order_release);
  const ssize_t filled = ::write(borrower_.pipe_.write_end.get(), bytes.data(), bytes.size());
  if (filled != static_cast<ssize_t>(bytes.size())) {
    page->stage.store(Stage::none, std::memory_order_release);
    empty(borrower_.pipe_.read_end.get());
    return shown;
  }
  page->stage.store(Stage::moving, std::memory_order_release);
  const size_t moved = borrower_.move_out(bytes.size());
  page->shown.store(shown + moved, std::memory_order_relaxed);
  page->stage.store(Stage::none, std::memory_order_release);
  if (moved < bytes.size()) empty(borrower_.pipe_.read_end.get());
  return shown + moved;
}

size_t Borrower::move_out(size_t count) const {
  size_t moved = 0;
  while (moved < count) {
    const ssize_t n = ::splice(pipe_.read_end.get(), nullptr, terminal_.get(), nullptr, count - moved,
                               SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (n <= 0) break;
    moved += static_cast<size_t>(n);
  }
  return moved;
}

size_t Borrower::Turn::read(std::span<char> buffer, uint64_t typed) {
  int there = 0;
  if (::ioctl(borrower_.terminal_.get(), FIONREAD, &there) != 0 || there <= 0) return 0;
  const size_t most = std::min<size_t>(static_cast<size_t>(there), buffer.size());
  borrower_.page_->typed.store(typed + most, std::memory_order_release);
  const ssize_t n = ::read(borrower_.terminal_.get(), buffer.data(), most);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

}  // namespace pty
