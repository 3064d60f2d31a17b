// SPDX-License-Identifier: Apache-2.0
// Server: the daemon's socket and its connections. It lets in processes of the same user in the same user
// namespace only: a program in a sandbox must not drive its own cage.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "daemon/connection.h"
#include "daemon/context.h"
#include "event/loop.h"

namespace host {

class Server {
 public:
  // `changed`: a client has come or gone.
  Server(Context& context, std::string socket_path, std::function<void()> changed);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Replaces what an earlier daemon left; the caller holds the daemon's lock.
  base::Result<void> listen();
  // Closes the door. False, with the door open as before, if somebody came in at the last moment.
  bool close_door();

  // Channels, which the daemon has started itself, are none.
  size_t clients() const;
  std::vector<std::string> degraded() const;

 private:
  void accept_all();
  void admit(base::Fd socket);
  void refuse(base::Fd socket, base::PeerIdentity peer, std::string_view why);

  Context& context_;
  std::string path_;
  std::function<void()> changed_;
  base::Fd listener_;
  std::unique_ptr<event::Watch> watch_;
  event::Timer pause_;  // while there are no descriptors left
  bool out_of_descriptors_ = false;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
};

}  // namespace host
