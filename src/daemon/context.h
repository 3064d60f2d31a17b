// SPDX-License-Identifier: Apache-2.0
// Context: what the methods of the protocol work on. There is one in a daemon.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "daemon/audit_trail.h"
#include "daemon/channel_keeper.h"
#include "daemon/evidence_keeper.h"
#include "daemon/web_service.h"
#include "daemon/worker.h"
#include "event/loop.h"
#include "session/events.h"
#include "session/sessions.h"
#include "store/store.h"

namespace host {

struct Context {
  event::Loop& loop;
  store::Store& store;
  session::Events& events;
  session::Sessions& sessions;
  AuditTrail& audit;
  Worker& worker;
  EvidenceKeeper& evidence;
  ChannelKeeper& channels;
  std::string store_path;
  std::string key_path;
  base::Moment started;
  std::function<size_t()> clients;
  std::function<std::vector<std::string>()> degraded;
  std::function<void()> shut_down;
  WebService* web = nullptr;  // the server for browsers, where there is one
};

// A row for what somebody typed at a terminal: how much, and what only where the session's settings say so.
struct PtyName {
  std::string session;  // its id
  uint32_t pty = 0;
};
enum class Keys { shown, hidden };  // on the screen, when they are typed
store::AuditEntry keys_entry(const Context& context, std::string agent, std::string channel,
                             const PtyName& at, std::string_view keys, Keys kind);

}  // namespace host
