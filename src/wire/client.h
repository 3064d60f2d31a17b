// SPDX-License-Identifier: Apache-2.0
// Client: a command's end of the daemon's socket. call() asks one thing and waits for its answer; a program
// that waits for more than the daemon watches fd() and takes what comes with next(). The greeting travels
// with the first request, so that it costs no round trip.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace wire {

struct Greeting {
  std::string agent;    // who asks, for the audit
  std::string channel;  // cli, mcp, …
};

// TEND_AGENT_ID, or who runs this process.
std::string default_agent();

struct Bytes {
  std::string data;
};

using Incoming = std::variant<Request, Response, Bytes>;

class Client {
 public:
  // Nobody there is an error with sys ENOENT or ECONNREFUSED.
  static base::Result<Client> connect(const std::string& socket_path, const Greeting& greeting);

  // An error of the daemon becomes the error here; a daemon that has gone is one with sys ECONNRESET. No
  // deadline: as long as it takes.
  base::Result<json::value> call(std::string_view method, json::object params,
                                 std::optional<base::Duration> deadline = std::chrono::seconds(30));

  uint64_t send(std::string_view method, json::object params);  // gives the id of the answer
  void notify(std::string_view method, json::object params);
  void send_bytes(std::string_view bytes);
  // With descriptors. Nothing: the daemon does not take it now, and nothing of it was sent.
  std::optional<uint64_t> send_with(std::string_view method, json::object params,
                                    std::span<const int> descriptors);

  // Messages that have come, of any kind.
  uint64_t heard() const { return heard_; }

  int fd() const { return socket_.get(); }
  size_t waiting_output() const { return output_.size() - sent_; }
  // Of what send_bytes() was given, what the daemon cannot have had: no part of it is in a message that has
  // gone out whole.
  std::string unsent_bytes() const;
  base::Result<void> flush();
  // What has come, nothing if there is nothing now, an error when the daemon is gone.
  base::Result<std::optional<Incoming>> next();

 private:
  explicit Client(base::Fd socket) : socket_(std::move(socket)) {}
  base::Result<void> receive();
  base::Result<void> take(const FrameView& frame);

  base::Fd socket_;
  FrameReader reader_;
  std::string output_;  // from the beginning of a message on
  size_t sent_ = 0;     // bytes of it that have gone
  std::deque<Incoming> incoming_;
  uint64_t last_id_ = 0;
  uint64_t heard_ = 0;
};

}  // namespace wire
