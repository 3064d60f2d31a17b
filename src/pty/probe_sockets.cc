// SPDX-License-Identifier: Apache-2.0
#include "pty/probe_sockets.h"

#include <algorithm>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pty::probe {
namespace {

using Kind = Source::Kind;

// States of the kernel's TCP, which <linux/tcp.h> does not name.
constexpr uint8_t kEstablished = 1;
constexpr uint8_t kSynSent = 2;
// An answer to what came (a window update, an acknowledgement of the protocol above) follows it this closely.
constexpr uint32_t kReactionMs = 8;

// pidfd_getfd works on processes, and costs one descriptor for all of a set.
class Copier {
 public:
  explicit Copier(Task task) : process_(static_cast<int>(::syscall(SYS_pidfd_open, task.pid, 0))) {}
  base::Fd copy(int fd) const {
    if (!process_) return {};
    return base::Fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process_.get(), fd, 0)));
  }

 private:
  base::Fd process_;
};

template <typename T>
std::optional<T> option(const base::Fd& socket, int level, int name) {
  T value{};
  socklen_t size = sizeof value;
  if (::getsockopt(socket.get(), level, name, &value, &size) != 0) return {};
  return value;
}

bool request_in_flight(const tcp_info& info) {
  if (info.tcpi_state == kSynSent) return true;
  if (info.tcpi_state != kEstablished) return false;
  const bool unanswered = info.tcpi_bytes_received == 0 && info.tcpi_bytes_acked > 1;
  const bool sent_last = info.tcpi_last_data_sent + kReactionMs < info.tcpi_last_data_recv;
  return info.tcpi_unacked > 0 || unanswered || sent_last;
}

struct Weight {
  bool outside = true;
  bool request = false;
};

Weight weigh(const base::Fd& socket, Kind kind, std::span<const pid_t> group) {
  if (option<int>(socket, SOL_SOCKET, SO_ACCEPTCONN).value_or(0) != 0) return {.outside = false};
  if (option<int>(socket, SOL_SOCKET, SO_DOMAIN) == AF_UNIX) {
    const auto peer = option<ucred>(socket, SOL_SOCKET, SO_PEERCRED);
    const bool inside = peer && std::find(group.begin(), group.end(), peer->pid) != group.end();
    return {.outside = !inside && kind == Kind::socket};
  }
  const auto info = option<tcp_info>(socket, IPPROTO_TCP, TCP_INFO);
  const bool request = info && request_in_flight(*info);
  return {.outside = request || kind == Kind::socket, .request = request};
}

}  // namespace

base::Fd copy_descriptor(Task task, int fd) { return Copier(task).copy(fd); }

uint16_t weigh_sockets(Task task, WaitSet& set, std::span<const pid_t> group) {
  if (set.count(Kind::socket) + set.count(Kind::connection) == 0) return 0;
  const Copier copier(task);
  uint16_t requests = 0;
  std::erase_if(set.sources, [&](const Source& each) {
    if (each.kind != Kind::socket && each.kind != Kind::connection) return false;
    const base::Fd socket = copier.copy(each.fd);
    if (!socket) return each.kind == Kind::connection;
    const Weight weight = weigh(socket, each.kind, group);
    if (weight.request) requests++;
    return !weight.outside;
  });
  return requests;
}

}  // namespace pty::probe
