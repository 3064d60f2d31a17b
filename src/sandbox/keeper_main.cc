// SPDX-License-Identifier: Apache-2.0
// tend-keeper SESSION SOCKET JOURNALS: started by the daemon, with a connected socket as descriptor 3. It
// waits there for a byte, which says that it is wanted, and with which comes the plan of its sandbox
// (sandbox/plan.h) if it is to be in one. Whatever keeps it from starting goes back over that socket as a
// `failed` message.
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/fd.h"
#include "base/unix_socket.h"
#include "pty/control_group.h"
#include "pty/journal.h"
#include "pty/keeper.h"
#include "sandbox/enter.h"
#include "sandbox/plan.h"

namespace {

using pty::keeper::Doors;

constexpr int kFirstPeer = 3;

bool is_socket(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

// Away from whoever started it: no terminal of theirs, no folder of theirs, no descriptor of theirs.
base::Result<void> detach() {
  const pid_t pid = ::fork();
  if (pid > 0) ::_exit(0);
  ::setsid();
  base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  bool done = pid == 0 && null;
  for (int fd = 0; fd < 3; fd++) done = done && ::dup2(null.get(), fd) == fd;
  null.reset();
  if (done && ::close_range(kFirstPeer + 1, ~0U, 0) == 0 && ::chdir("/") == 0) return {};
  return base::fail(base::Code::pty_spawn_failed, errno, "cannot start the keeper of the session");
}

// The plan's file, or no descriptor for none; nothing if whoever started it has gone.
std::optional<base::Fd> wait_until_wanted() {
  for (;;) {
    pollfd peer{.fd = kFirstPeer, .events = POLLIN, .revents = 0};
    if (::poll(&peer, 1, -1) < 0 && errno != EINTR) return {};
    char byte = 0;
    auto received = base::receive_some(kFirstPeer, {&byte, 1});
    if (!received || received->closed) return {};
    if (received->count == 0) continue;
    return received->descriptors.empty() ? base::Fd() : std::move(received->descriptors.front());
  }
}

base::Result<sandbox::Plan> read_plan(const base::Fd& file) {
  // In pieces: room for the largest plan would be touched page by page, which takes longer than all the rest.
  std::string text;
  char piece[16 << 10];
  for (ssize_t n = 0; text.size() < sandbox::kMostPlan && (n = ::read(file.get(), piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<size_t>(n));
  auto plan = sandbox::decode_plan(text);
  if (!plan) return base::fail(base::Code::invalid_param, 0, "the keeper does not understand its plan");
  return std::move(*plan);
}

// The doors are this process's own before it goes where their names lead nowhere. What else it had made ready
// outside is of no use there.
base::Result<void> settle_in(pty::keeper::Options& options, base::Fd file) {
  auto plan = read_plan(file);
  file.reset();
  if (!plan) return base::fail(plan);
  options.ready_journal.reset();
  options.groups.reset();
  auto entered = sandbox::enter(std::move(*plan), std::move(options.doors), kFirstPeer);
  if (!entered) return base::fail(entered);
  options.doors = std::move(entered->doors);
  options.cage = std::move(entered->cage);
  options.outside_uid = entered->outside_uid;
  options.groups = pty::open_own_control_group();
  return {};
}

base::Result<void> keep(char** argv) {
  if (auto detached = detach(); !detached) return base::fail(detached);
  // What takes the file system's time is done before it is wanted. What fails is tried again then, and told.
  auto doors = Doors::open(argv[2], argv[3]);
  pty::keeper::Options options{.session = argv[1], .doors = {}, .groups = pty::open_own_control_group()};
  if (doors) {
    auto journal = pty::Journal::create_unnamed(doors->journals(), pty::Journal::kDefaultCapacity);
    if (journal) options.ready_journal = std::move(*journal);
  }
  auto plan = wait_until_wanted();
  if (!plan) {
    if (doors) doors->remove_name();
    return {};
  }
  if (!doors || !doors->show()) {
    if (doors) doors->remove_name();
    doors = Doors::open(argv[2], argv[3]);
    if (!doors) return base::fail(doors);
    if (auto shown = doors->show(); !shown) return shown;
  }
  options.doors = std::move(*doors);
  if (*plan) {
    if (auto done = settle_in(options, std::move(*plan)); !done) {
      ::unlink(argv[2]);
      return done;
    }
  }
  auto peer = base::duplicate(kFirstPeer);
  if (!peer) return base::fail(peer);
  options.first_peer = std::move(*peer);
  auto keeper = pty::keeper::Keeper::create(std::move(options));
  if (!keeper) return base::fail(keeper);
  ::close(kFirstPeer);
  (*keeper)->run();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || !is_socket(kFirstPeer)) {
    std::fputs("tend-keeper is started by tend; it has no use of its own\n", stderr);
    return 2;
  }
  ::fcntl(kFirstPeer, F_SETFD, FD_CLOEXEC);
  const auto kept = keep(argv);
  if (kept) return 0;
  const std::string frame =
      pty::keeper::make_frame(pty::keeper::Type::failed, 0, 0, pty::keeper::encode(kept.error()));
  [[maybe_unused]] const auto told = base::send_some(kFirstPeer, frame, {});
  return 1;
}
