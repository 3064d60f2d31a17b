// SPDX-License-Identifier: Apache-2.0
#include "pty/journal.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
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

struct JournalHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t reserved;
  uint64_t capacity;
  alignas(64) std::atomic<uint64_t> published;
  std::atomic<uint64_t> intent;
  alignas(64) std::atomic<uint64_t> processed;
  std::atomic<uint64_t> lost;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free, "the header is shared between processes");

namespace {

constexpr uint64_t kMagic = 0x6c616e726a646e74;  // "tndjrnal" in the file's first bytes
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderBytes = 4096;
static_assert(sizeof(JournalHeader) <= kHeaderBytes);

bool is_capacity(uint64_t value) {
  return value >= Journal::kLeastCapacity && value <= Journal::kMostCapacity && std::has_single_bit(value);
}

// Orders this process's plain accesses to the ring with its accesses to the header. The thread sanitizer
// knows no fences, and does not see the other process either.
void fence() {
#ifndef __SANITIZE_THREAD__
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void* map_at(void* place, size_t length, int fd, off_t offset, Journal::Access access) {
  const int protection = access == Journal::Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  return ::mmap(place, length, protection, MAP_SHARED | (place != nullptr ? MAP_FIXED : 0), fd, offset);
}

// Twice in a row over a reserved range, or null.
char* map_ring(int fd, size_t capacity, Journal::Access access) {
  void* range = ::mmap(nullptr, 2 * capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return nullptr;
  char* ring = static_cast<char*>(range);
  for (char* place : {ring, ring + capacity}) {
    if (map_at(place, capacity, fd, kHeaderBytes, access) != MAP_FAILED) continue;
    const int reason = errno;
    ::munmap(ring, 2 * capacity);
    errno = reason;
    return nullptr;
  }
  return ring;
}

std::unexpected<base::Error> wrong_capacity() {
  return fail(Code::invalid_param, 0, "a journal holds 64 KiB to 1 GiB, a power of two");
}

// An errno, or 0. The magic is written last: a file without it was never a journal.
int fill(int fd, size_t capacity) {
  if (const int reason = ::posix_fallocate(fd, 0, static_cast<off_t>(kHeaderBytes + capacity)); reason != 0)
    return reason;
  JournalHeader header{};
  header.version = kVersion;
  header.capacity = capacity;
  const bool done = ::pwrite(fd, &header, sizeof header, 0) == sizeof header &&
                    ::pwrite(fd, &kMagic, sizeof kMagic, 0) == sizeof kMagic;
  return done ? 0 : errno;
}

}  // namespace

Result<Fd> Journal::create(int folder, const char* name, size_t capacity) {
  if (!is_capacity(capacity)) return wrong_capacity();
  Fd fd(::openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail(Code::internal, errno, std::string("cannot make the journal ") + name);
  const int reason = fill(fd.get(), capacity);
  if (reason == 0) return fd;
  ::unlinkat(folder, name, 0);
  return fail(Code::internal, reason, std::string("cannot make the journal ") + name);
}

Result<Fd> Journal::create_unnamed(int folder, size_t capacity) {
  if (!is_capacity(capacity)) return wrong_capacity();
  Fd fd(::openat(folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  const int reason = fd ? fill(fd.get(), capacity) : errno;
  if (reason != 0) return fail(Code::internal, reason, "cannot make a journal");
  return fd;
}

bool Journal::give_name(int fd, int folder, const char* name) {
  const std::string unnamed = "/proc/self/fd/" + std::to_string(fd);
  return ::linkat(AT_FDCWD, unnamed.c_str(), folder, name, AT_SYMLINK_FOLLOW) == 0;
}

Result<Journal> Journal::map(int fd, Access access) {
  JournalHeader seen{};
  struct stat file{};
  if (::fstat(fd, &file) != 0) return fail(Code::internal, errno, "cannot look at a journal");
  const ssize_t n = ::pread(fd, &seen, sizeof seen, 0);
  if (n != sizeof seen || seen.magic != kMagic) return fail(Code::internal, 0, "not a journal");
  if (seen.version != kVersion)
    return fail(Code::version_mismatch, 0, "a journal of another version of tend");
  if (!is_capacity(seen.capacity) || file.st_size != static_cast<off_t>(kHeaderBytes + seen.capacity))
    return fail(Code::internal, 0, "a journal that is cut or damaged");
  const uint64_t published = seen.published.load(std::memory_order_relaxed);
  const uint64_t intent = seen.intent.load(std::memory_order_relaxed);
  // Only a resting journal shows the two side by side; a reader of one in use asks window() instead.
  if (access == Access::write && (intent < published || intent - published > seen.capacity))
    return fail(Code::internal, 0, "a journal that is damaged");

  void* header = map_at(nullptr, kHeaderBytes, fd, 0, access);
  if (header == MAP_FAILED) return fail(Code::internal, errno, "cannot map a journal");
  char* ring = map_ring(fd, seen.capacity, access);
  if (ring == nullptr) {
    const int reason = errno;
    ::munmap(header, kHeaderBytes);
    return fail(Code::internal, reason, "cannot map a journal");
  }
  return Journal(static_cast<JournalHeader*>(header), ring, seen.capacity);
}

Journal::Journal(Journal&& other) noexcept
    : header_(std::exchange(other.header_, nullptr)),
      ring_(std::exchange(other.ring_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  if (this == &other) return *this;
  unmap();
  header_ = std::exchange(other.header_, nullptr);
  ring_ = std::exchange(other.ring_, nullptr);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

Journal::~Journal() { unmap(); }

void Journal::rest() const { ::madvise(ring_, 2 * capacity_, MADV_DONTNEED); }

void Journal::unmap() {
  if (header_ == nullptr) return;
  ::munmap(header_, kHeaderBytes);
  ::munmap(ring_, 2 * capacity_);
}

Journal::Window Journal::window() const {
  // In this order: an intent read later is never too small for what was published before.
  const uint64_t end = header_->published.load(std::memory_order_acquire);
  const uint64_t intent = header_->intent.load(std::memory_order_acquire);
  const uint64_t begin = intent > capacity_ ? intent - capacity_ : 0;
  return {std::min(begin, end), end};
}

Journal::Piece Journal::read(uint64_t offset, std::span<char> buffer) const {
  for (;;) {
    const Window now = window();
    const uint64_t begin = std::clamp(offset, now.begin, now.end);
    // Never more than the ring, whatever a damaged header says.
    const auto count = static_cast<size_t>(std::min<uint64_t>({now.end - begin, buffer.size(), capacity_}));
    std::memcpy(buffer.data(), ring_ + (begin & (capacity_ - 1)), count);
    fence();
    const uint64_t intact = window().begin;
    if (intact <= begin) return {begin, count};
    // Overtaken in part: what is intact still counts, and if nothing is, once more from further on.
    if (intact - begin < count) {
      const auto overwritten = static_cast<size_t>(intact - begin);
      std::memmove(buffer.data(), buffer.data() + overwritten, count - overwritten);
      return {intact, count - overwritten};
    }
  }
}

std::string_view Journal::view(uint64_t begin, uint64_t end) const {
  return {ring_ + (begin & (capacity_ - 1)), static_cast<size_t>(std::min<uint64_t>(end - begin, capacity_))};
}

void Journal::recover(int pipe) {
  const uint64_t published = header_->published.load();
  const uint64_t intent = header_->intent.load();
  int left = 0;
  if (published >= intent || ::ioctl(pipe, FIONREAD, &left) != 0) return;
  header_->published.store(intent - std::min<uint64_t>(static_cast<uint64_t>(left), intent - published));
}

Result<size_t> Journal::take(int pipe, size_t in_pipe) {
  const uint64_t start = header_->published.load(std::memory_order_relaxed);
  const size_t count = in_pipe;
  // With less than all of the pipe, what is left in it would no longer tell a successor how far this came.
  assert(count <= capacity_);
  header_->intent.store(start + count, std::memory_order_release);
  // A reader that sees any byte of what follows must see the intent.
  fence();
  size_t taken = 0;
  while (taken < count) {
    const ssize_t n = ::read(pipe, ring_ + ((start + taken) & (capacity_ - 1)), count - taken);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      // EFAULT: the disk gave no page for the mapping. What came so far counts; the rest waits in the pipe.
      header_->intent.store(start + taken, std::memory_order_release);
      return fail(Code::pty_read_failed, n < 0 ? errno : 0, "cannot read output into the journal");
    }
    taken += static_cast<size_t>(n);
    header_->published.store(start + taken, std::memory_order_release);
  }
  return taken;
}

void Journal::set_processed(uint64_t offset) { header_->processed.store(offset, std::memory_order_release); }

uint64_t Journal::processed() const { return header_->processed.load(std::memory_order_acquire); }

uint64_t Journal::unprocessed() const {
  const uint64_t end = header_->published.load(std::memory_order_acquire);
  return end - std::min(processed(), end);
}

void Journal::add_lost(uint64_t count) { header_->lost.fetch_add(count, std::memory_order_relaxed); }

uint64_t Journal::lost() const { return header_->lost.load(std::memory_order_relaxed); }

}  // namespace pty
