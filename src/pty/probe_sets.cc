// SPDX-License-Identifier: Apache-2.0
#include "pty/probe_sets.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace pty::probe {
namespace {

using Kind = Source::Kind;

// Both have this major number.
constexpr unsigned kTerminalsMajor = 5;
constexpr unsigned kControllingMinor = 0;  // /dev/tty
constexpr unsigned kMultiplexerMinor = 2;  // /dev/ptmx
constexpr int kDeepestEpoll = 3;
constexpr uint32_t kInput = EPOLLIN | EPOLLRDNORM;
static_assert(EPOLLIN == POLLIN && EPOLLRDNORM == POLLRDNORM && EPOLLOUT == POLLOUT);

std::optional<struct statx> describe(const Path& path, int flags) {
  struct statx about;
  const int how = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | flags;
  if (::statx(AT_FDCWD, path.text, how, STATX_TYPE | STATX_MODE | STATX_INO, &about) != 0) return {};
  return about;
}

Kind device_kind(const Terminal& terminal, Task task, const struct statx& about) {
  const dev_t device = makedev(about.stx_rdev_major, about.stx_rdev_minor);
  if (device == terminal.device) {
    const bool same =
        terminal.inode == 0 || (about.stx_ino == terminal.inode &&
                                makedev(about.stx_dev_major, about.stx_dev_minor) == terminal.file_system);
    return same ? Kind::terminal : Kind::other;
  }
  if (device == makedev(kTerminalsMajor, kMultiplexerMinor)) return Kind::master;
  if (device == makedev(kTerminalsMajor, kControllingMinor)) {
    const auto state = state_of(task);
    return state && state->terminal == terminal.device ? Kind::terminal : Kind::other;
  }
  return Kind::other;
}

// What has no kind of its own in the file system has one in its name: "anon_inode:[eventfd]".
Kind nameless_kind(const Path& path) {
  char link[64];
  const ssize_t length = ::readlink(path.text, link, sizeof link);
  const std::string_view name(link, length > 0 ? static_cast<size_t>(length) : 0);
  if (name.starts_with("pidfd:")) return Kind::own;
  if (!name.starts_with("anon_inode:")) return Kind::other;
  if (name.find("[eventpoll]") != name.npos) return Kind::epoll;
  if (name.find("[timerfd]") != name.npos) return Kind::timer;
  if (name.find("[io_uring]") != name.npos) return Kind::ring;
  return Kind::own;
}

bool add_epoll(Search& search, Task task, int epoll, int depth, WaitSet& set);

// False if the set is too large, or cannot be seen.
bool add(Search& search, Task task, int fd, uint32_t events, int depth, WaitSet& set) {
  const bool input = (events & kInput) != 0;
  if (!input && (events & EPOLLOUT) == 0) return true;
  Source source = classify(search, task, fd);
  // Whoever waits to write waits for nothing that anyone could type, but a connection that is being made is a
  // request.
  if (!input && source.kind != Kind::socket) return true;
  if (!input) source.kind = Kind::connection;
  if (source.kind == Kind::absent) return true;
  set.empty = false;
  if (source.kind == Kind::terminal)
    set.terminal = fd;
  else if (source.kind == Kind::epoll)
    return add_epoll(search, task, fd, depth + 1, set);
  else if (source.kind != Kind::own)
    set.sources.push_back(source);
  return set.sources.size() <= kMostSources;
}

bool add_epoll(Search& search, Task task, int epoll, int depth, WaitSet& set) {
  if (depth > kDeepestEpoll) return false;
  Pieces lines(task_path(task, "fdinfo", epoll), '\n');
  size_t members = 0;
  bool readable = false;
  while (const auto line = lines.next()) {
    readable = true;
    // tfd:        0 events:       19 data: …
    if (!line->starts_with("tfd:")) continue;
    const auto fd = number_after(*line, "tfd:");
    const auto events = number_after(*line, "events:", 16);
    if (!fd || !events) continue;
    if (++members > kMostSources ||
        !add(search, task, static_cast<int>(*fd), static_cast<uint32_t>(*events), depth, set))
      return false;
  }
  return readable;
}

}  // namespace

int32_t to_milliseconds(int64_t seconds, int64_t nanoseconds) {
  constexpr int64_t kMostSeconds = 1'000'000;
  const int64_t whole = std::clamp<int64_t>(seconds, 0, kMostSeconds) * 1000;
  return static_cast<int32_t>(whole + std::clamp<int64_t>(nanoseconds, 0, 999'999'999) / 1'000'000);
}

size_t WaitSet::count(Kind kind) const {
  return static_cast<size_t>(
      std::count_if(sources.begin(), sources.end(), [&](const Source& each) { return each.kind == kind; }));
}

Source classify(Search& search, Task task, int fd) {
  const Path path = task_path(task, "fd", fd);
  const auto about = search.take_one() ? describe(path, 0) : std::nullopt;
  if (!about) return {fd, Kind::absent, 0};
  switch (about->stx_mode & S_IFMT) {
    case S_IFCHR:
      return {fd, device_kind(search.terminal, task, *about), about->stx_ino};
    case S_IFSOCK:
      return {fd, Kind::socket, about->stx_ino};
    case S_IFIFO:
      return {fd, Kind::pipe, about->stx_ino};
    default:
      return {fd, nameless_kind(path), about->stx_ino};
  }
}

std::optional<WaitSet> poll_set(Search& search, Task task, uint64_t entries, uint64_t count) {
  if (count > kMostSources) return {};
  WaitSet set{.call = Look::Call::poll};
  std::array<pollfd, 64> some;
  for (uint64_t at = 0; at < count; at += some.size()) {
    const size_t n = std::min<uint64_t>(count - at, some.size());
    if (!peek(task, entries + at * sizeof(pollfd), some.data(), n * sizeof(pollfd))) return {};
    for (size_t i = 0; i < n; i++) {
      const auto events = static_cast<uint16_t>(some[i].events);
      if (some[i].fd >= 0 && !add(search, task, some[i].fd, events, 0, set)) return {};
    }
  }
  return set;
}

std::optional<WaitSet> select_set(Search& search, Task task, uint64_t count, uint64_t readable) {
  if (count > kMostSources) return {};
  WaitSet set{.call = Look::Call::select};
  if (readable == 0) return set;
  constexpr size_t kBits = 64;
  std::array<uint64_t, kMostSources / kBits> words{};
  const size_t size = (count + kBits - 1) / kBits * sizeof(uint64_t);
  if (size > 0 && !peek(task, readable, words.data(), size)) return {};
  for (size_t fd = 0; fd < count; fd++) {
    const bool wanted = (words[fd / kBits] >> fd % kBits & 1) != 0;
    if (wanted && !add(search, task, static_cast<int>(fd), kInput, 0, set)) return {};
  }
  return set;
}

std::optional<WaitSet> epoll_set(Search& search, Task task, int epoll) {
  WaitSet set{.call = Look::Call::epoll};
  if (!add_epoll(search, task, epoll, 0, set)) return {};
  return set;
}

void drop_pipes_written_by(Search& search, Task task, std::vector<Source>& sources) {
  const auto is_pipe = [](const Source& each) { return each.kind == Kind::pipe; };
  if (std::none_of(sources.begin(), sources.end(), is_pipe)) return;
  Numbers descriptors(task_path(task, "fd"));
  while (const auto fd = descriptors.next()) {
    if (!search.take_one()) return;
    const Path path = task_path(task, "fd", *fd);
    const auto about = describe(path, 0);
    if (!about || (about->stx_mode & S_IFMT) != S_IFIFO) continue;
    // The link itself may be written to where the descriptor may.
    const auto link = describe(path, AT_SYMLINK_NOFOLLOW);
    if (!link || (link->stx_mode & S_IWUSR) == 0) continue;
    std::erase_if(sources, [&](const Source& each) { return is_pipe(each) && each.inode == about->stx_ino; });
  }
}

void settle_timers(Task task, WaitSet& set) {
  std::erase_if(set.sources, [&](const Source& each) {
    if (each.kind != Kind::timer) return false;
    char buffer[512];
    const ProcText file = read_once(task_path(task, "fdinfo", each.fd), buffer);
    // it_value: (0, 249012345)
    const size_t at = file.text.find("it_value:");
    if (at == std::string_view::npos) return false;
    const auto seconds = number_after(file.text.substr(at), "(").value_or(0);
    const auto nanoseconds = number_after(file.text.substr(at), ",").value_or(0);
    if (seconds == 0 && nanoseconds == 0) return true;
    const auto left = to_milliseconds(static_cast<int64_t>(seconds), static_cast<int64_t>(nanoseconds));
    if (set.timeout_ms < 0 || left < set.timeout_ms) set.timeout_ms = left;
    return false;
  });
}

}  // namespace pty::probe
