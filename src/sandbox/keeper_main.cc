// SPDX-License-Identifier: Apache-2.0
// tend-keeper SESSION SOCKET JOURNALS [sandbox]: started by the daemon, with a connected socket as descriptor
// 3 and the plan of its sandbox, if it is to be in one, as descriptor 4 (sandbox/plan.h). Whatever keeps it
// from starting goes back over that socket as a `failed` message.
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/fd.h"
#include "base/unix_socket.h"
#include "pty/keeper.h"
#include "sandbox/enter.h"
#include "sandbox/plan.h"

namespace {

constexpr int kFirstPeer = 3;
constexpr int kPlan = 4;

bool is_socket(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

// Away from whoever started it: no terminal of theirs, no folder of theirs, no descriptor of theirs.
base::Result<void> detach(int last) {
  const pid_t pid = ::fork();
  if (pid > 0) ::_exit(0);
  ::setsid();
  base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  bool done = pid == 0 && null;
  for (int fd = 0; fd < 3; fd++) done = done && ::dup2(null.get(), fd) == fd;
  null.reset();
  if (done && ::close_range(static_cast<unsigned>(last) + 1, ~0U, 0) == 0 && ::chdir("/") == 0) return {};
  return base::fail(base::Code::pty_spawn_failed, errno, "cannot start the keeper of the session");
}

base::Result<sandbox::Plan> read_plan() {
  const base::Fd file(kPlan);
  std::string text(sandbox::kMostPlan, '\0');
  size_t size = 0;
  for (ssize_t n = 0; (n = ::read(file.get(), text.data() + size, text.size() - size)) > 0;)
    size += static_cast<size_t>(n);
  auto plan = sandbox::decode_plan(std::string_view(text).substr(0, size));
  if (!plan) return base::fail(base::Code::invalid_param, 0, "the keeper does not understand its plan");
  return std::move(*plan);
}

// The doors are this process's own before it goes where their names lead nowhere.
base::Result<void> settle_in(pty::keeper::Options& options) {
  auto plan = read_plan();
  if (!plan) return base::fail(plan);
  auto entered = sandbox::enter(std::move(*plan), std::move(options.doors), kFirstPeer);
  if (!entered) return base::fail(entered);
  options.doors = std::move(entered->doors);
  options.cage = std::move(entered->cage);
  options.outside_uid = entered->outside_uid;
  return {};
}

base::Result<void> keep(char** argv) {
  const bool in_sandbox = argv[4] != nullptr;
  if (auto detached = detach(in_sandbox ? kPlan : kFirstPeer); !detached) return base::fail(detached);
  auto doors = pty::keeper::Doors::open(argv[2], argv[3]);
  if (!doors) return base::fail(doors);
  pty::keeper::Options options{.session = argv[1], .doors = std::move(*doors)};
  if (in_sandbox) {
    if (auto done = settle_in(options); !done) {
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
  if (argc < 4 || argc > 5 || !is_socket(kFirstPeer)) {
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
