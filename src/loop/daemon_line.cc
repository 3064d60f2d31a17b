// SPDX-License-Identifier: Apache-2.0
#include "loop/daemon_line.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/log.h"

namespace loop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{20};
constexpr milliseconds kLongestPause{1000};

}  // namespace

DaemonLine::DaemonLine(Connect connect, const base::Clock& clock)
    : connect_(std::move(connect)),
      clock_(clock),
      retry_(clock.now()),
      pause_(kFirstPause),
      lost_at_(clock.now()) {}

uint64_t DaemonLine::ask(std::string_view method, json::object params, Again again) {
  const uint64_t number = ++last_number_;
  open_.push_back({number, std::string(method), std::move(params), again, true});
  if (client_)
    send(open_.back());
  else if (again == Again::no) {
    lost();
  }
  return number;
}

std::optional<wire::Response> DaemonLine::answer(uint64_t number) {
  const auto found = answers_.find(number);
  if (found == answers_.end()) return {};
  wire::Response response = std::move(found->second);
  answers_.erase(found);
  return response;
}

void DaemonLine::forget(uint64_t number) {
  answers_.erase(number);
  for (Asked& each : open_) {
    if (each.number == number) each.wanted = false, each.again = Again::no;
  }
}

void DaemonLine::say(std::string_view method, json::object params) {
  // What is new says more than what the daemon before may not have heard.
  std::erase_if(open_, [&](const Asked& each) { return !each.wanted && each.method == method; });
  open_.push_back({++last_number_, std::string(method), std::move(params), Again::yes, false});
  if (client_) send(open_.back());
}

void DaemonLine::keep(std::string_view method, json::object params) {
  kept_.insert_or_assign(std::string(method), std::move(params));
}

void DaemonLine::notify(std::string_view method, json::object params) {
  if (client_) client_->notify(method, std::move(params));
}

pollfd DaemonLine::wanted() const {
  if (!client_) return {-1, 0, 0};
  return {client_->fd(), static_cast<short>(POLLIN | (client_->waiting_output() > 0 ? POLLOUT : 0)), 0};
}

void DaemonLine::turn() {
  if (!client_ && retry_ && clock_.now() >= *retry_) connect();
  // A failed write is not the end: what the daemon said before it went counts.
  if (client_) [[maybe_unused]]
    const auto flushed = client_->flush();
  while (client_) {
    auto next = client_->next();
    if (!next) return lost();
    if (!*next) break;
    news_ = true;
    if (auto* response = std::get_if<wire::Response>(&**next))
      take(std::move(*response));
    else if (const auto* told = std::get_if<wire::Request>(&**next); told != nullptr && listen_)
      listen_(*told);
  }
  // What was said meanwhile.
  if (client_) [[maybe_unused]]
    const auto flushed = client_->flush();
}

void DaemonLine::connect() {
  auto client = connect_();
  if (!client) {
    retry_ = clock_.now() + pause_;
    pause_ = std::min<base::Duration>(pause_ * 2, kLongestPause);
    return;
  }
  retry_.reset();
  client_ = std::move(*client);
  epoch_++;
  news_ = true;
  for (const auto& [method, params] : kept_) client_->send(method, params);
  for (Asked& each : open_) send(each);
}

void DaemonLine::lost() {
  if (client_) {
    client_.reset();
    lost_at_ = clock_.now();
    // Not at once after a daemon that answered nothing: it may not live for long.
    retry_ = lost_at_ + pause_;
    pause_ = std::min<base::Duration>(pause_ * 2, kLongestPause);
  }
  for (const Asked& each : open_) {
    if (each.again == Again::yes || !each.wanted) continue;
    news_ = true;
    answers_.emplace(each.number, wire::Response{.id = each.number,
                                                 .result = base::fail(base::Code::internal, ECONNRESET,
                                                                      "the daemon went before it answered")});
  }
  std::erase_if(open_, [](const Asked& each) { return each.again == Again::no; });
}

void DaemonLine::send(Asked& asked) { asked.id = client_->send(asked.method, asked.params); }

void DaemonLine::take(wire::Response response) {
  pause_ = kFirstPause;
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const Asked& each) { return each.id != 0 && response.id == each.id; });
  if (found == open_.end()) return;
  const Asked asked = std::move(*found);
  open_.erase(found);
  if (asked.wanted)
    answers_.emplace(asked.number, std::move(response));
  else if (!response.result)
    base::log::say(base::log::Level::warning, "{}: {}", asked.method, response.result.error().message());
}

}  // namespace loop
