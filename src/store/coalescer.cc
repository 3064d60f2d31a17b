// SPDX-License-Identifier: Apache-2.0
#include "store/coalescer.h"

#include <algorithm>
#include <utility>

namespace store {
namespace {

std::optional<base::Duration> window_of(const AuditEntry& entry) {
  if (entry.action == "keys") return AuditCoalescer::kKeys;
  if (entry.action == "read" || entry.action == "screen" || entry.action == "list")
    return AuditCoalescer::kReads;
  return {};
}

bool are_equal(const AuditEntry& one, const AuditEntry& other) {
  return one.action == other.action && one.session == other.session && one.pty == other.pty &&
         one.agent == other.agent && one.channel == other.channel && one.result == other.result &&
         one.secret == other.secret;
}

// An operation on a whole session concerns each of its PTYs.
bool concerns(const AuditEntry& entry, const AuditEntry& waiting) {
  return entry.session == waiting.session && (!entry.pty || !waiting.pty || entry.pty == waiting.pty);
}

void merge(AuditEntry& waiting, AuditEntry&& next) {
  next.until = next.until.value_or(next.at);
  next.at = waiting.at;
  next.count += waiting.count;
  if (waiting.bytes) next.bytes = std::move(*waiting.bytes) + next.bytes.value_or("");
  waiting = std::move(next);
}

}  // namespace

std::vector<AuditEntry> AuditCoalescer::add(AuditEntry entry, base::Moment now) {
  std::vector<AuditEntry> ready = take_due(now);
  const auto window = window_of(entry);
  if (!window) {
    std::erase_if(waiting_, [&](Waiting& item) {
      if (!concerns(entry, item.entry)) return false;
      ready.push_back(std::move(item.entry));
      return true;
    });
    ready.push_back(std::move(entry));
    return ready;
  }
  const auto found =
      std::ranges::find_if(waiting_, [&](const Waiting& item) { return are_equal(item.entry, entry); });
  if (found == waiting_.end()) {
    waiting_.push_back({std::move(entry), now + *window});
  } else {
    merge(found->entry, std::move(entry));
    if (found->entry.bytes && found->entry.bytes->size() >= kMostBytes) {
      ready.push_back(std::move(found->entry));
      waiting_.erase(found);
    }
  }
  if (waiting_.size() > kMostWaiting) {
    ready.push_back(std::move(waiting_.front().entry));
    waiting_.pop_front();
  }
  return ready;
}

std::optional<base::Moment> AuditCoalescer::next_due() const {
  if (waiting_.empty()) return {};
  return std::ranges::min_element(waiting_, {}, &Waiting::due)->due;
}

std::vector<AuditEntry> AuditCoalescer::take_due(base::Moment now) {
  std::vector<AuditEntry> ready;
  std::erase_if(waiting_, [&](Waiting& item) {
    if (item.due > now) return false;
    ready.push_back(std::move(item.entry));
    return true;
  });
  return ready;
}

std::vector<AuditEntry> AuditCoalescer::take_all() { return take_due(base::Moment::max()); }

}  // namespace store
