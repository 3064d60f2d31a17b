// SPDX-License-Identifier: Apache-2.0
// SlackSocket: one WebSocket on the loop, over TLS, or plain on this machine. What comes is not trusted: a
// message has 256 KiB at most. A peer that is silent is pinged, and given up when it does not answer.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "event/loop.h"

namespace channel {

struct SocketUrl {
  bool tls = true;
  std::string host;
  std::string port;
  std::string target;  // path and query
};
// wss://…, or ws:// with a host that is this machine.
base::Result<SocketUrl> read_socket_url(std::string_view url);

class SlackSocket {
 public:
  static constexpr size_t kMostMessage = 256 << 10;

  struct Calls {
    std::function<void(std::string text)> message;
    std::function<void(const std::string& why)> closed;  // once; the socket may be destroyed in it
  };

  // `timeout` is for connecting and shaking hands; three times that may pass without a word.
  // `ca_file`: authorities that are trusted beside the usual ones.
  SlackSocket(event::Loop& loop, const SocketUrl& url, base::Duration timeout,
              const std::optional<std::string>& ca_file, Calls calls);
  ~SlackSocket();  // nothing is called any more
  SlackSocket(const SlackSocket&) = delete;
  SlackSocket& operator=(const SlackSocket&) = delete;

  void send(std::string text);

  class Line;

 private:
  std::shared_ptr<Line> line_;
};

}  // namespace channel
