// SPDX-License-Identifier: Apache-2.0
// tend-keeper SESSION SOCKET JOURNALS: started by the daemon, with a connected socket as descriptor 3.
// Whatever keeps it from starting goes back over that socket as a `failed` message.
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/fd.h"
#include "base/unix_socket.h"
#include "pty/keeper.h"

namespace {

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

base::Result<void> keep(char** argv) {
  if (auto detached = detach(); !detached) return base::fail(detached);
  auto peer = base::duplicate(kFirstPeer);
  if (!peer) return base::fail(peer);
  auto keeper = pty::keeper::Keeper::create({.session = argv[1],
                                             .socket_path = argv[2],
                                             .journals_folder = argv[3],
                                             .first_peer = std::move(*peer)});
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
