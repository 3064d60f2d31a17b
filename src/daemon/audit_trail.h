// SPDX-License-Identifier: Apache-2.0
// AuditTrail: the daemon's way to the audit: small equal operations are gathered first, the rest goes to the
// store at once.
#pragma once
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "event/loop.h"
#include "store/coalescer.h"
#include "store/store.h"

namespace host {

// A row with who did what; the rest is filled in by whoever knows it.
store::AuditEntry audit_entry(std::string action, std::string agent, std::string channel);

class AuditTrail {
 public:
  AuditTrail(event::Loop& loop, store::Store& store);

  // `done` comes when the row is on the disk, or cannot get there; at once for what is gathered.
  void add(store::AuditEntry entry, const std::function<void()>& done = {});
  // All that waits goes to the store.
  void flush();

 private:
  void set_timer();

  store::Store& store_;
  base::RealClock clock_;
  store::AuditCoalescer gathered_;
  event::Timer timer_;
};

}  // namespace host
