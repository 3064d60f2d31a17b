// SPDX-License-Identifier: Apache-2.0
// AuditCoalescer: makes one row of many equal small operations before they go to the store, so that a caller
// that reads ten times a second leaves one row a second. Pure: the daemon hands in the time, keeps one timer
// on next_due(), and appends whatever comes out.
//
// Equal means the same agent, channel, session, PTY, action and result. `read`, `screen` and `list` gather
// for one second from the first of them, `keys` for five. Counts add up, `until` is the time of the last,
// bytes (if keystrokes are recorded) follow each other; of all else the row keeps what the last one said. Any
// other operation comes out at once, and takes what waits for the same PTY out before itself, so that the
// trail keeps the order of what was seen and what was then done.
//
// At most 1,024 rows wait; at that bound the oldest comes out early.
#pragma once
#include <chrono>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "store/audit.h"

namespace store {

class AuditCoalescer {
 public:
  static constexpr std::chrono::seconds kReads{1};
  static constexpr std::chrono::seconds kKeys{5};
  static constexpr size_t kMostWaiting = 1024;
  static constexpr size_t kMostBytes = 16 << 10;  // of one row's gathered keystrokes

  // The rows that are to be written now, in order.
  std::vector<AuditEntry> add(AuditEntry entry, base::Moment now);
  // When take_due() has something; nothing: never, no timer is needed.
  std::optional<base::Moment> next_due() const;
  std::vector<AuditEntry> take_due(base::Moment now);
  // At the end.
  std::vector<AuditEntry> take_all();

 private:
  struct Waiting {
    AuditEntry entry;
    base::Moment due;
  };
  std::deque<Waiting> waiting_;  // in order of arrival
};

}  // namespace store
