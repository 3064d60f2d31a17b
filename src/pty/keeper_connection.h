// SPDX-License-Identifier: Apache-2.0
// Connection: one end of the line between a keeper and a peer. Never waits: what the other end does not take
// is queued up to a bound, and past the bound the connection is lost (a holder that comes back gets
// everything anew).
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "pty/keeper_protocol.h"

namespace pty::keeper {

class Connection {
 public:
  // Whether descriptors that the other end sends along are kept or closed at once.
  enum class Descriptors { close, keep };

  explicit Connection(base::Fd socket, Descriptors descriptors = Descriptors::close)
      : socket_(std::move(socket)), policy_(descriptors) {}

  int fd() const { return socket_.get(); }
  bool lost() const { return lost_; }
  bool wants_output() const { return !out_.empty(); }

  // Reads what is there, once, and gives the frames that are whole now.
  std::vector<Frame> receive();

  // The oldest of the descriptors that came, if there are as many.
  std::vector<base::Fd> take_descriptors(size_t count);

  void send(Type type, uint32_t request, uint32_t pty, std::string_view payload,
            std::span<const int> fds = {});
  void flush();

 private:
  struct Outgoing {
    std::string bytes;
    size_t sent = 0;
    std::vector<base::Fd> descriptors = {};  // go with the first byte
  };
  bool send_front(Outgoing& message);

  base::Fd socket_;
  Descriptors policy_;
  FrameReader in_;
  std::deque<base::Fd> descriptors_;
  std::deque<Outgoing> out_;
  bool lost_ = false;
  bool deaf_ = false;  // the peer reads no more, but may have written
};

}  // namespace pty::keeper
