// SPDX-License-Identifier: Apache-2.0
// Journal: the newest output of one PTY, in a file of fixed size that is mapped by its one writer and by any
// number of readers in other processes. Bytes have absolute 64-bit offsets that count from the PTY's first
// byte; the last `capacity` of them are there.
//
//   header page   magic, version, capacity; published, intent; processed, lost
//   ring          capacity bytes; the byte at offset o stands at o mod capacity
//
// Who writes: the process that holds the PTY's master, one at a time (the keeper sees to that). Bytes come
// out of a pipe, and the order of steps makes a kill -9 at any instruction harmless:
//   1. intent = published + what is in the pipe      from now on these ring bytes may be overwritten
//   2. read the pipe into the ring                   the kernel takes them out of the pipe and puts them here
//   3. published = published + what was read
// A successor finds published < intent only if the writer died between 1 and 3, and what the pipe still holds
// tells how far step 2 came: published = intent - FIONREAD(pipe). recover() may itself be killed and
// repeated.
//
// Readers copy first and then look whether the writer's intent has reached what they copied.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace pty {

struct JournalHeader;

class Journal {
 public:
  static constexpr size_t kDefaultCapacity = 1 << 20;
  static constexpr size_t kLeastCapacity = 64 << 10;  // a pipe's worth: a step must never lap itself
  static constexpr size_t kMostCapacity = 1 << 30;

  enum class Access { read, write };

  // Makes the file (it must not be there yet, mode 0600) with all its blocks, so that a full disk is an error
  // here and never a SIGBUS later. `folder` is a descriptor of the folder.
  static base::Result<base::Fd> create(int folder, const char* name, size_t capacity);
  // The same in two steps: made without a name, which costs nothing to throw away, and named later. Not every
  // file system can do that.
  static base::Result<base::Fd> create_unnamed(int folder, size_t capacity);
  static bool give_name(int fd, int folder, const char* name);

  // Maps it. A file that is not a whole journal is an error.
  static base::Result<Journal> map(int fd, Access access);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  size_t capacity() const { return capacity_; }

  // For readers. The bytes at [begin, end) are there; begin moves on as the writer goes round.
  struct Window {
    uint64_t begin;
    uint64_t end;
  };
  Window window() const;

  // Copies up to buffer.size() bytes from `offset` on. `offset` in the result is where the copied bytes
  // really start: later than asked for if older ones have been overwritten meanwhile.
  struct Piece {
    uint64_t offset;
    size_t count;
  };
  Piece read(uint64_t offset, std::span<char> buffer) const;

  // The bytes in place, without a copy, for the writer itself, which knows that nobody overwrites them
  // meanwhile.
  std::string_view view(uint64_t begin, uint64_t end) const;

  // Lets go of the memory that the ring takes in this process; the file has it all, and it comes back when it
  // is touched.
  void rest() const;

  // For the writer.
  void recover(int pipe);
  base::Result<size_t> take(int pipe, size_t in_pipe);

  // Up to where whoever reads the PTY for its screen has kept what the bytes did; `unprocessed` counts what
  // came since. Bytes that are overwritten before they were processed are lost, and counted.
  void set_processed(uint64_t offset);
  uint64_t processed() const;
  uint64_t unprocessed() const;
  void add_lost(uint64_t count);
  uint64_t lost() const;

 private:
  Journal(JournalHeader* header, char* ring, size_t capacity)
      : header_(header), ring_(ring), capacity_(capacity) {}
  void unmap();

  JournalHeader* header_ = nullptr;
  char* ring_ = nullptr;  // mapped twice in a row, so that any range is one piece
  size_t capacity_ = 0;
};

}  // namespace pty
