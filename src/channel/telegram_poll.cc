// SPDX-License-Identifier: Apache-2.0
#include "channel/telegram_poll.h"

#include <boost/json/array.hpp>
#include <utility>

namespace channel {

namespace json = boost::json;
using Kind = ApiProblem::Kind;

constexpr std::chrono::seconds kHold{30};
constexpr std::chrono::milliseconds kAtOnce{500};
constexpr int kUsualLimit = 10;

Poll::Poll(event::Loop& loop, TelegramApi& api, Calls calls)
    : api_(api),
      calls_(std::move(calls)),
      empty_({.first = std::chrono::milliseconds(100), .most = std::chrono::seconds(2)}),
      limit_(kUsualLimit),
      again_(loop, [this] { ask(); }) {}

void Poll::start(int64_t offset) {
  offset_ = offset;
  ask();
}

void Poll::ask() {
  asked_ = clock_.now();
  json::object params{{"timeout", kHold.count()},
                      {"limit", limit_},
                      {"allowed_updates", json::array{"message", "callback_query"}}};
  if (offset_ != 0) params["offset"] = offset_;
  api_.call("getUpdates", params, [this](const Api<json::value>& result) { answered(result); }, kHold);
}

void Poll::answered(const Api<json::value>& result) {
  if (result) return take(*result);
  switch (result.error().kind) {
    case Kind::conflict:
      return fail("another program polls with this token, or it has a webhook: " + result.error().text);
    case Kind::unauthorized:
      return fail("the token is refused: " + result.error().text);
    case Kind::too_large:
      // One at a time they fit: the longest message is far below the bound.
      limit_ = 1;
      return fail(result.error().text);
    default:
      return fail(result.error().text, result.error().wait);
  }
}

void Poll::take(const json::value& result) {
  const auto updates = read_updates(result);
  const bool some = result.is_array() && !result.get_array().empty();
  if (!result.is_array() || (some && updates.empty())) return fail("the server's updates are none");
  backoff_.succeeded();
  limit_ = kUsualLimit;
  const bool news = !worked_ || !problem_.empty();
  worked_ = true;
  problem_.clear();
  if (news) calls_.changed();
  bool fresh = false;
  for (const Update& each : updates) {
    if (!seen_.add(each.id)) continue;
    fresh = true;
    calls_.update(each);
  }
  if (!updates.empty()) {
    offset_ = updates.back().id + 1;
    calls_.offset(offset_);
  }
  // A server that says the same again and again is not asked again and again.
  if (fresh || clock_.now() - asked_ > kAtOnce) {
    empty_.succeeded();
    return ask();
  }
  again_.set_after(empty_.failed());
}

void Poll::fail(std::string problem, std::optional<base::Duration> wait) {
  again_.set_after(backoff_.failed(wait));
  if (problem == problem_) return;
  problem_ = std::move(problem);
  calls_.changed();
}

}  // namespace channel
