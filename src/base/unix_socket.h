// SPDX-License-Identifier: Apache-2.0
// Unix stream sockets by path, of any length (an address holds 107 bytes, a home may be deeper), and
// descriptors sent along with bytes.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace base {

// Mode 0600; the path must be free. Nonblocking.
Result<Fd> listen_at(const std::string& path);

// Nonblocking.
Result<Fd> connect_to(const std::string& path);

struct PeerIdentity {
  pid_t pid;
  uid_t uid;
};
Result<PeerIdentity> peer_of(int socket);

// The number of bytes taken, 0 if the socket takes none now. The descriptors go with the first byte.
Result<size_t> send_some(int socket, std::string_view bytes, std::span<const int> descriptors);

struct Received {
  size_t count = 0;  // 0: nothing now
  bool closed = false;
  std::vector<Fd> descriptors = {};
};
Result<Received> receive_some(int socket, std::span<char> buffer);

}  // namespace base
