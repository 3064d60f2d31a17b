// SPDX-License-Identifier: Apache-2.0
// Events: what happens to sessions, numbered, for whoever follows. The last 1,000 are kept, so that a
// follower that was away goes on behind the number it had. Numbers start at the microsecond in which the
// daemon began: they grow across daemons too, and a follower sees that it missed something.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "pty/pty.h"
#include "session/listeners.h"
#include "session/loop_report.h"

namespace session {

struct Event {
  uint64_t number = 0;
  int64_t at = 0;    // microseconds since the epoch
  std::string kind;  // session.created, pty.started, pty.exited, pty.state, prompt.asked, inbox.sent, …
  std::string session = {};
  std::string name = {};
  std::optional<uint32_t> pty = {};
  std::optional<pty::ExitStatus> exit = {};
  std::optional<int64_t> delay_ms = {};
  std::string_view state = {};  // of pty.state, prompt.asked and prompt.left: what the program is about; of
                                // prompt.changed: of the prompt
  std::string prompt = {};      // its id
  std::string_view type = {};
  std::string outcome = {};  // of prompt.changed, and
  std::string rule = {};     // what the policy decided by
  std::string question = {};
  std::string message = {};  // of inbox.*: its id
  std::string thread = {};
  std::string from = {};
  std::string to = {};
  std::string subject = {};
  std::optional<LoopReport> loop = {};  // of loop.changed
  std::string by = {};                  // who claimed it, said that it is done, or answered
};

class Events {
 public:
  static constexpr size_t kKept = 1000;

  explicit Events(uint64_t first) : epoch_(first), next_(first) {}

  void publish(Event event);

  // Where a follower begins who has had everything up to `after`, or wants only what is to come.
  struct Begin {
    uint64_t after = 0;
    uint64_t missed = 0;
    bool replaced = false;  // the number is of another daemon
  };
  Begin begin_after(std::optional<uint64_t> after) const;

  // The first event behind this number that is still there.
  const Event* after(uint64_t number) const;
  // The numbers of those that are there are [first, next).
  uint64_t first() const { return kept_.empty() ? next_ : kept_.front().number; }
  uint64_t next() const { return next_; }
  // The first number of all: smaller ones are of a daemon before.
  uint64_t epoch() const { return epoch_; }
  Listeners& listeners() { return listeners_; }

 private:
  std::deque<Event> kept_;
  uint64_t epoch_;
  uint64_t next_;
  Listeners listeners_;
};

}  // namespace session
