// SPDX-License-Identifier: Apache-2.0
#include "web/event_stream.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <utility>

#include "daemon/describe.h"
#include "web/limits.h"

namespace web {
namespace {

namespace json = boost::json;

constexpr size_t kMostPiece = 64 << 10;

}  // namespace

EventStream::EventStream(host::Context& context, std::optional<uint64_t> after, std::function<void()> wake)
    : context_(context), wake_(std::move(wake)), heartbeat_(context.loop, [this] {
        beat_ = true;
        heartbeat_.set_after(kHeartbeat);
        wake_();
      }) {
  const auto begun = context.events.begin_after(after);
  followed_ = begun.after;
  start_ = fmt::format("event: start\ndata: {}\n\n",
                       json::serialize(json::object{{"after", begun.after},
                                                    {"missed", begun.missed},
                                                    {"replaced", begun.replaced},
                                                    {"epoch", context.events.epoch()}}));
  events_ = context.events.listeners().add([this] { wake_(); });
  heartbeat_.set_after(kHeartbeat);
}

std::optional<std::string> EventStream::next_piece() {
  std::string piece = std::exchange(start_, {});
  while (piece.size() < kMostPiece) {
    const session::Event* next = context_.events.after(followed_);
    if (next == nullptr) break;
    if (next->number > followed_ + 1)
      piece += fmt::format("event: missed\ndata: {{\"missed\":{}}}\n\n", next->number - followed_ - 1);
    followed_ = next->number;
    piece += fmt::format("id: {}\nevent: event\ndata: {}\n\n", next->number,
                         json::serialize(host::describe(*next)));
  }
  if (std::exchange(beat_, false) && piece.empty()) piece = ": still there\n\n";
  if (piece.empty()) return {};
  return piece;
}

}  // namespace web
