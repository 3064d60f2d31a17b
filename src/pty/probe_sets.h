// SPDX-License-Identifier: Apache-2.0
// What a blocked thread waits for: the descriptors of a poll, select or epoll, told apart by what they are.
// Other processes' descriptors are looked at without opening them, and without asking a file system: one on a
// dead server must not hold up the keeper.
#pragma once
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

#include "pty/look.h"
#include "pty/probe_proc.h"

namespace pty::probe {

constexpr size_t kMostSources = 1024;  // of one set; a larger one is not looked into

// The slave side that is looked for. A device number alone would also be that of a terminal with the same
// number in a container's own devpts.
struct Terminal {
  dev_t device = 0;
  dev_t file_system = 0;
  ino_t inode = 0;  // 0 where the slave could not be opened
};

// One look: what for, and how many descriptors it may still examine. When these are used up the rest is not
// seen, and `seen_all` says so.
struct Search {
  Terminal terminal = {};
  size_t descriptors_left = 8192;
  bool seen_all = true;

  bool take_one() {
    seen_all = seen_all && descriptors_left > 0;
    if (seen_all) descriptors_left--;
    return seen_all;
  }
};

struct Source {
  enum class Kind : uint8_t {
    terminal,
    socket,
    connection,  // a socket that is waited for until it can be written to
    pipe,
    master,  // of another terminal
    timer,
    ring,  // an io_uring: whatever is in it cannot be seen
    epoll,
    own,  // eventfd, signalfd and the like: the program wakes itself, or the kernel tells it something
    other,
    absent,
  };
  int fd = -1;
  Kind kind = Kind::absent;
  ino_t inode = 0;
};

struct WaitSet {
  Look::Call call = Look::Call::none;
  int32_t timeout_ms = -1;
  int terminal = -1;                 // its descriptor, if it is in the set
  std::vector<Source> sources = {};  // all others, without `own`, `epoll` and `absent`
  bool empty = true;                 // not even these

  size_t count(Source::Kind kind) const;
};

// At most about eleven days.
int32_t to_milliseconds(int64_t seconds, int64_t nanoseconds);

Source classify(Search& search, Task task, int fd);

// Nothing where the set cannot be seen.
std::optional<WaitSet> poll_set(Search& search, Task task, uint64_t entries, uint64_t count);
std::optional<WaitSet> select_set(Search& search, Task task, uint64_t count, uint64_t readable);
std::optional<WaitSet> epoll_set(Search& search, Task task, int epoll);

// Takes out the pipes that this process can write into. In its own set these are how it wakes itself.
void drop_pipes_written_by(Search& search, Task task, std::vector<Source>& sources);

// Takes out the timers that are not set; one that is makes the set's timeout no longer than itself.
void settle_timers(Task task, WaitSet& set);

}  // namespace pty::probe
