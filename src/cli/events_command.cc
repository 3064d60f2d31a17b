// SPDX-License-Identifier: Apache-2.0
#include "cli/events_command.h"

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>

#include "base/strings.h"
#include "cli/access.h"
#include "cli/human.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

std::string line_of(const json::object& event, const EventsOptions& options) {
  if (options.json) return json::serialize(event) + "\n";
  const auto at = parse_time(wire::text(event, "at").value_or(""));
  std::string who = wire::text(event, "name").value_or("");
  if (const auto pty = wire::integer(event, "pty")) who += fmt::format(":{}", *pty);
  std::string line = fmt::format("{}  {}  {:<15}  {}", wire::integer(event, "number").value_or(0),
                                 at ? local_time(*at) : "", wire::text(event, "kind").value_or(""), who);
  if (const std::string ended = how_it_ended(event); !ended.empty()) line += "  " + ended;
  if (const auto question = wire::text(event, "question"))
    line += fmt::format("  {}  {}", wire::text(event, "type").value_or(""), *question);
  else if (const auto state = wire::text(event, "state"))
    line += "  " + *state;
  if (const auto message = wire::text(event, "message")) {
    const std::string from = wire::text(event, "from").value_or("");
    line += fmt::format("{}  {}  {}", *message, wire::text(event, "by").value_or(from),
                        wire::text(event, "subject").value_or(""));
  }
  if (const auto delay = wire::integer(event, "delay_ms")) line += fmt::format("  in {} ms", *delay);
  return base::printable(line, 1000) + "\n";
}

class Follower {
 public:
  explicit Follower(const EventsOptions& options) : options_(options), after_(options.after) {
    if (!after_ && !options.follow) after_ = 0;
  }

  // One connection's worth. Nothing: the daemon has gone, and the next one goes on.
  Result<std::optional<int>> follow(wire::Client& client) {
    json::object params;
    if (after_) params["after"] = *after_;
    auto subscribed = client.call("events.subscribe", std::move(params));
    if (!subscribed) return fail(subscribed);
    const json::object& about = subscribed->as_object();
    after_ = static_cast<uint64_t>(wire::integer(about, "after").value_or(0));
    tell_gap(about);
    known_ = true;
    // The answer to this comes behind everything that has happened so far.
    const uint64_t end = options_.follow ? 0 : client.send("daemon.status", {});
    return take_all(client, end);
  }

 private:
  // Whoever asks for everything knows that the beginning is not kept for ever.
  void tell_gap(const json::object& about) const {
    const int64_t missed = wire::integer(about, "missed").value_or(0);
    if (wire::flag(about, "replaced"))
      fmt::print(stderr, "tend: the daemon was replaced; what happened in between is not known\n");
    if (missed > 0 && (known_ || options_.after.value_or(0) > 0))
      fmt::print(stderr, "tend: {} events were missed: more happened than the daemon keeps\n", missed);
  }

  // Up to the answer to the request `end`; 0 is for ever.
  Result<std::optional<int>> take_all(wire::Client& client, uint64_t end) {
    for (;;) {
      if (auto flushed = client.flush(); !flushed && !options_.follow) return fail(flushed);
      auto next = client.next();
      if (!next && options_.follow) return std::nullopt;
      if (!next) return fail(next);
      if (!*next) {
        pollfd ready{client.fd(), static_cast<short>(POLLIN | (client.waiting_output() > 0 ? POLLOUT : 0)),
                     0};
        if (::poll(&ready, 1, -1) < 0 && errno != EINTR)
          return fail(Code::internal, errno, "cannot wait for events");
        continue;
      }
      if (const auto* answer = std::get_if<wire::Response>(&**next);
          answer != nullptr && end != 0 && answer->id == end)
        return kDone;
      const auto* event = std::get_if<wire::Request>(&**next);
      if (event == nullptr || event->method != "event") continue;
      after_ = static_cast<uint64_t>(wire::integer(event->params, "number").value_or(0));
      if (const int code = print(line_of(event->params, options_)); code != kDone) return code;
    }
  }

  const EventsOptions& options_;
  std::optional<uint64_t> after_;
  bool known_ = false;
};

Result<int> show_events(const EventsOptions& options) {
  Follower follower(options);
  for (;;) {
    auto client = reach_daemon();
    if (!client) return fail(client);
    auto code = follower.follow(*client);
    if (!code) return fail(code);
    if (*code) return **code;
  }
}

}  // namespace

int events(const EventsOptions& options) { return finish(show_events(options)); }

}  // namespace cli
