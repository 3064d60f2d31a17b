// SPDX-License-Identifier: Apache-2.0
#include "daemon/audit_trail.h"

#include <utility>

namespace host {

store::AuditEntry audit_entry(std::string action, std::string agent, std::string channel) {
  store::AuditEntry entry;
  entry.action = std::move(action);
  entry.agent = std::move(agent);
  entry.channel = std::move(channel);
  return entry;
}

AuditTrail::AuditTrail(event::Loop& loop, store::Store& store)
    : store_(store), timer_(loop, [this] {
        for (store::AuditEntry& each : gathered_.take_due(clock_.now())) store_.append(std::move(each));
        set_timer();
      }) {}

void AuditTrail::add(store::AuditEntry entry, const std::function<void()>& done) {
  if (entry.at == 0) entry.at = store::wall_now();
  auto ready = gathered_.add(std::move(entry), clock_.now());
  set_timer();
  // The row that was added, if it comes out at all, is the last.
  for (size_t i = 0; i < ready.size(); i++) {
    if (i + 1 < ready.size() || !done) {
      store_.append(std::move(ready[i]));
    } else {
      store_.append(std::move(ready[i]), [done](const base::Result<int64_t>&) { done(); });
    }
  }
  if (ready.empty() && done) done();
}

void AuditTrail::flush() {
  for (store::AuditEntry& each : gathered_.take_all()) store_.append(std::move(each));
  timer_.cancel();
}

void AuditTrail::set_timer() {
  const auto due = gathered_.next_due();
  if (!due) return timer_.cancel();
  if (!timer_.pending()) timer_.set(*due);
}

}  // namespace host
