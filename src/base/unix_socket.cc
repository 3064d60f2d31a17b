// SPDX-License-Identifier: Apache-2.0
#include "base/unix_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace base {
namespace {

constexpr size_t kMostDescriptors = 4;
constexpr int kBacklog = 1024;

// An address for the last name of a path by way of its opened folder, whatever the length of the rest.
struct Address {
  Fd folder;
  sockaddr_un name{};
};

Result<Address> address_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Address address;
  address.folder.reset(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!address.folder) return fail(Code::internal, errno, "cannot open " + folder);
  address.name.sun_family = AF_UNIX;
  const int length = std::snprintf(address.name.sun_path, sizeof address.name.sun_path, "/proc/self/fd/%d/%s",
                                   address.folder.get(), path.c_str() + (slash + 1));
  if (length < 0 || static_cast<size_t>(length) >= sizeof address.name.sun_path)
    return fail(Code::invalid_param, ENAMETOOLONG, "cannot use " + path);
  return address;
}

Fd make_socket() { return Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

}  // namespace

Result<Fd> listen_at(const std::string& path) {
  auto address = address_of(path);
  if (!address) return fail(address);
  Fd socket = make_socket();
  if (!socket) return fail(Code::internal, errno, "cannot make a socket");
  const mode_t before = ::umask(0177);
  const int bound = ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address->name), sizeof address->name);
  const int reason = errno;
  ::umask(before);
  if (bound != 0 || ::listen(socket.get(), kBacklog) != 0)
    return fail(Code::internal, bound != 0 ? reason : errno, "cannot listen at " + path);
  return socket;
}

Result<Fd> connect_to(const std::string& path) {
  auto address = address_of(path);
  if (!address) return fail(address);
  Fd socket = make_socket();
  if (!socket) return fail(Code::internal, errno, "cannot make a socket");
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address->name), sizeof address->name) != 0)
    return fail(Code::internal, errno, "cannot connect to " + path);
  return socket;
}

Result<PeerIdentity> peer_of(int socket) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
    return fail(Code::internal, errno, "cannot ask who is at the other end of a socket");
  return PeerIdentity{credentials.pid, credentials.uid};
}

Result<size_t> send_some(int socket, std::string_view bytes, std::span<const int> descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)] = {};
  iovec vector{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  for (;;) {
    const ssize_t n = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EAGAIN) return 0;
    // ETOOMANYREFS: too many descriptors are under way to those who do not read; they may be taken later.
    if (errno == ETOOMANYREFS) return 0;
    if (errno != EINTR) return fail(Code::internal, errno, "cannot send");
  }
}

Result<Received> receive_some(int socket, std::span<char> buffer) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)];
  iovec vector{buffer.data(), buffer.size()};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t n = 0;
  do n = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return Received{};
  if (n < 0 && errno != ECONNRESET) return fail(Code::internal, errno, "cannot receive");
  Received received{.count = static_cast<size_t>(std::max<ssize_t>(n, 0)), .closed = n <= 0};
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); n > 0 && header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      received.descriptors.emplace_back(fd);
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0)
    return fail(Code::internal, EMFILE, "cannot receive descriptors");
  return received;
}

}  // namespace base
