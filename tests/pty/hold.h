// SPDX-License-Identifier: Apache-2.0
// Becoming the holder of a keeper that is there.
#pragma once
#include <chrono>
#include <string>

#include "pty/keeper_link.h"

namespace pty_test {

inline base::Result<pty::KeeperLink> hold(const std::string& socket_path, const pty::keeper::Hello& hello) {
  auto link = pty::KeeperLink::connect(socket_path, hello);
  if (!link) return link;
  auto welcome = link->wait_for(pty::KeeperLink::kHello, std::chrono::seconds(10));
  if (!welcome) return base::fail(welcome);
  return link;
}

}  // namespace pty_test
