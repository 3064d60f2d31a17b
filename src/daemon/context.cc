// SPDX-License-Identifier: Apache-2.0
#include "daemon/context.h"

#include <utility>

namespace host {

store::AuditEntry keys_entry(const Context& context, std::string agent, std::string channel,
                             const PtyName& at, std::string_view keys, Keys kind) {
  store::AuditEntry entry = audit_entry("keys", std::move(agent), std::move(channel));
  entry.session = at.session;
  entry.pty = at.pty;
  entry.count = static_cast<int64_t>(keys.size());
  const auto session = context.sessions.find(at.session);
  if (session && (*session)->settings().keystrokes) {
    entry.secret = kind == Keys::hidden;
    if (!entry.secret) entry.bytes = std::string(keys);
  }
  return entry;
}

}  // namespace host
