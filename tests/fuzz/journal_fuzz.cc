// SPDX-License-Identifier: Apache-2.0
// A journal file whose header is whatever the fuzzer says: it is refused, or every read stays within the
// ring.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "pty/journal.h"

namespace {

constexpr size_t kFileBytes = 4096 + pty::Journal::kLeastCapacity;

int file() {
  static const int fd = [] {
    const int made = ::memfd_create("journal", MFD_CLOEXEC);
    if (::ftruncate(made, kFileBytes) != 0) std::abort();
    return made;
  }();
  return fd;
}

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A whole header first, so that small inputs change something that matters.
  uint64_t header[512] = {0x6c616e726a646e74, 1, pty::Journal::kLeastCapacity};
  for (size_t i = 0; i < size && i < sizeof header; i++) reinterpret_cast<uint8_t*>(header)[i] ^= data[i];
  check(::pwrite(file(), header, sizeof header, 0) == sizeof header);

  for (const auto access : {pty::Journal::Access::read, pty::Journal::Access::write}) {
    auto journal = pty::Journal::map(file(), access);
    if (!journal) continue;
    const auto window = journal->window();
    check(window.begin <= window.end);
    uint64_t offset = 0;
    std::memcpy(&offset, data + (size >= 8 ? size - 8 : 0), size >= 8 ? 8 : size);
    std::string buffer(3 * journal->capacity(), '\0');
    for (const uint64_t from : {uint64_t{0}, offset, window.begin, window.end, ~uint64_t{0}}) {
      const auto piece = journal->read(from, buffer);
      check(piece.count <= journal->capacity());
      check(piece.offset + piece.count <= window.end || window.end < piece.offset);
    }
    if (access == pty::Journal::Access::read) continue;
    // A writer that takes such a file over still puts in what comes and reads back what it put.
    auto pipe = base::make_pipe();
    check(pipe.has_value());
    journal->recover(pipe->read_end.get());
    check(::write(pipe->write_end.get(), "fuzz", 4) == 4);
    check(journal->take(pipe->read_end.get(), 4).value_or(0) == 4);
    const uint64_t end = journal->window().end;
    if (end >= 4) check(journal->view(end - 4, end) == "fuzz");
  }
  return 0;
}
