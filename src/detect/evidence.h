// SPDX-License-Identifier: Apache-2.0
// Evidence: what the kernel shows of who waits for a terminal, as one look found it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace detect {

enum class Verdict : uint8_t {
  waits,  // somebody is blocked in a read of this terminal, or waits for it alone, and nobody works: certain
  may_wait,  // the terminal is one of several things that are waited for, or there is a timeout
  busy,      // nobody waits for it: certain
  both,      // somebody reads it while others work
  unknown,   // it is not allowed to look
  gone,      // there is nobody in the foreground
};

std::string_view name_of(Verdict verdict);

struct Evidence {
  Verdict verdict = Verdict::unknown;
  bool canonical = true;     // the terminal gathers lines
  bool echo = true;          // the terminal shows what is typed
  int32_t reader = 0;        // process
  std::string command = {};  // its name
  std::string call = {};     // what it is blocked in: "read", "epoll"
  int32_t timeout_ms = -1;
  uint64_t turns = 0;   // how often the waiting thread has run
  uint64_t cpu_ns = 0;  // of all in the foreground
  uint32_t unread = 0;
  uint16_t refused = 0;  // threads that could not be looked into
  uint16_t sockets = 0;
  uint16_t requests = 0;  // connections with a request in flight
  uint16_t pipes = 0;
  bool shell = false;    // a shell with job control
  bool relayed = false;  // about the terminal behind a relay (script, sudo)

  bool secret() const { return canonical && !echo; }
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

}  // namespace detect
