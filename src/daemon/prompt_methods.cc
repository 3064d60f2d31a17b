// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>
#include <vector>

#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "wire/params.h"

namespace host {

namespace json = wire::json;

// What waits for a person, the oldest question first.
void list_prompts(const CallPtr& call) {
  std::vector<session::Session*> sessions = call->context().sessions.all();
  if (wire::text(call->params(), "session")) {
    session::Session* found = call->session();
    if (found == nullptr) return;
    sessions = {found};
  }
  struct Open {
    const session::Session* session;
    const session::Pty* pty;
  };
  std::vector<Open> open;
  for (const session::Session* each : sessions) {
    for (const auto& [number, pty] : each->ptys())
      if (pty->attention().question()) open.push_back({each, pty.get()});
  }
  const auto asked_at = [](const Open& each) { return each.pty->attention().question()->asked_at; };
  std::sort(open.begin(), open.end(), [&](const Open& a, const Open& b) {
    return std::pair(asked_at(a), a.pty->number()) < std::pair(asked_at(b), b.pty->number());
  });
  json::array list;
  for (const Open& each : open)
    list.push_back(describe(*each.pty->attention().question(), *each.session, *each.pty));
  call->finish(std::move(list));
}

}  // namespace host
