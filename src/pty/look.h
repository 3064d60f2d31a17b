// SPDX-License-Identifier: Apache-2.0
// Look: what the kernel says about one terminal at one moment: whether somebody waits for its input, who, and
// in which call. A plain value, made by Probe and passed on by the keeper; it says what was found, never what
// the text on the screen means.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace pty {

struct Look {
  enum class Verdict : uint8_t {
    waits,     // certain: somebody reads the terminal, or waits for it alone without a timeout; nobody works
    may_wait,  // somebody waits for the terminal among other sources or with a timeout, or another has a
               // timer
    busy,      // certain: nobody waits for it, or the input that was waited for is there already
    both,      // somebody waits for it while another thread or process of the group works
    unknown,   // not allowed to look, too much to look at, or a multiplexer serves the terminal elsewhere
    gone,      // nobody is in the foreground
  };
  enum class Call : uint8_t { none, read, poll, select, epoll };

  Verdict verdict = Verdict::unknown;
  bool canonical = false;  // lines are edited by the terminal; with `echo` false, it is asked for a secret
  bool echo = false;
  bool shell = false;    // the reader is a job-control shell
  bool relayed = false;  // a relay (script, sudo) passes another terminal through, and this is about that one
  Call call = Call::none;   // what the reader is blocked in
  int32_t timeout_ms = -1;  // of that call; -1 is endless
  pid_t group = 0;          // in the foreground
  pid_t reader = 0;         // who waits for the terminal, with its thread; 0 if nobody
  pid_t thread = 0;
  std::string command = {};  // name of the reader, else of the group's leader: at most 15 bytes, of any kind
  uint64_t turns = 0;        // how often the reading thread has run: another number is another wait
  uint64_t cpu_ns = 0;       // of the processes that are in the group now; less than before if one has ended
  uint32_t unread = 0;       // bytes in the terminal that nobody has taken
  uint16_t processes = 0;    // looked at
  uint16_t threads = 0;
  uint16_t refused = 0;  // threads among them that may not be looked into
  // What else the group waits for.
  uint16_t sockets = 0;
  uint16_t requests = 0;  // TCP among the sockets with a request in flight
  uint16_t pipes = 0;
  uint16_t timers = 0;

  bool operator==(const Look&) const = default;
};

// "may wait", "epoll" and so on, for a person.
std::string_view name_of(Look::Verdict verdict);
std::string_view name_of(Look::Call call);

}  // namespace pty
