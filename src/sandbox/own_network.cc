// SPDX-License-Identifier: Apache-2.0
#include "sandbox/own_network.h"

#include <cerrno>
#include <cstring>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace sandbox {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

Result<void> raise_loopback() {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (!socket || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot raise the sandbox's loopback interface");
  return {};
}

Result<Fd> listen_on_loopback(uint16_t port) {
  constexpr int kWaiting = 64;
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kWaiting) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot listen for the sandbox's proxy");
  return socket;
}

}  // namespace sandbox
