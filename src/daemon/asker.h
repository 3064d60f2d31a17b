// SPDX-License-Identifier: Apache-2.0
// Asker: whoever makes a call: a client on the socket, a request of the web server. Calls hold on to it
// weakly, and what they come to is lost when it has gone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "session/listeners.h"
#include "session/session.h"

namespace host {

class Asker {
 public:
  virtual ~Asker() = default;

  // For the audit: who, and by which way.
  virtual const std::string& agent() const = 0;
  virtual const std::string& channel() const = 0;

  // One JSON message: the answer.
  virtual void send(std::string_view json) = 0;
  virtual void call_ended() = 0;
  // Called when it has gone.
  virtual session::Listeners& closed_listeners() = 0;

  // What of these bytes goes to that PTY now. What is held back goes there later by itself; what is blocked
  // is counted, if there is a filter between them.
  struct Admitted {
    std::string bytes;
    std::optional<uint32_t> blocked = {};
  };
  virtual Admitted admit(session::Session&, session::Pty&, std::string bytes) { return {std::move(bytes)}; }
  // The same for what is sent whole or not at all.
  virtual base::Result<void> admit_whole(const session::Session&, const session::Pty&, std::string_view) {
    return {};
  }
};

}  // namespace host
