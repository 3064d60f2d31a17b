// SPDX-License-Identifier: Apache-2.0
// EventStream: the daemon's events as server-sent events, for one reader. Gives a piece when it is asked for
// one; what a slow reader misses it is told about.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "daemon/context.h"
#include "event/loop.h"

namespace web {

class EventStream {
 public:
  // `after`: the last one it has had. `wake` is called when there may be a piece.
  EventStream(host::Context& context, std::optional<uint64_t> after, std::function<void()> wake);

  std::optional<std::string> next_piece();

 private:
  host::Context& context_;
  std::function<void()> wake_;
  uint64_t followed_ = 0;
  std::string start_;
  bool beat_ = false;
  session::Listeners::Handle events_;
  event::Timer heartbeat_;
};

}  // namespace web
