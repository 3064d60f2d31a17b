// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_wait.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/access.h"
#include "cli/loop_router.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::milliseconds;
namespace json = wire::json;

class Waiting {
 public:
  Waiting(wire::Client& client, const std::string& session, std::optional<base::Duration> deadline,
          StopSignals* signals)
      : client_(client), session_(session), signals_(signals) {
    if (deadline) end_ = clock_.now() + *deadline;
  }

  Result<void> until(const Enough& enough) {
    for (;;) {
      auto done = with_this_daemon(enough);
      if (done || done.error().sys != ECONNRESET) return done;
      auto next = reach_daemon();
      if (!next) return fail(next);
      client_ = std::move(*next);
    }
  }

 private:
  // Events first: what happens behind the look is heard of.
  Result<void> with_this_daemon(const Enough& enough) {
    auto subscribed = client_.call("events.subscribe", {});
    if (!subscribed) return fail(subscribed);
    // One that went may not have passed it on, and to ask twice does no harm.
    if (!stop_.empty()) send_stop();
    for (;;) {
      auto session = client_.call("session.get", {{"session", session_}});
      if (!session && session.error().code != Code::pty_session_not_found) return fail(session);
      if (enough(session ? &session->as_object() : nullptr)) return {};
      if (auto heard = hear(); !heard) return heard;
    }
  }

  // Until something has happened to the session.
  Result<void> hear() {
    for (;;) {
      if (auto flushed = client_.flush(); !flushed) return fail(flushed);
      bool happened = false;
      for (auto next = client_.next();; next = client_.next()) {
        if (!next) return fail(next);
        if (!*next) break;
        const auto* event = std::get_if<wire::Request>(&**next);
        happened = happened || (event != nullptr && wire::text(event->params, "session") == session_);
      }
      if (happened) return {};
      if (auto polled = poll(); !polled) return polled;
    }
  }

  Result<void> poll() {
    int timeout = -1;
    if (end_) {
      const auto left = std::chrono::ceil<milliseconds>(*end_ - clock_.now()).count();
      if (left <= 0) return fail(Code::pty_timeout, 0, "the loop does not come to its end");
      timeout = static_cast<int>(left);
    }
    pollfd ready[] = {
        {client_.fd(), static_cast<short>(POLLIN | (client_.waiting_output() > 0 ? POLLOUT : 0)), 0},
        {signals_ != nullptr ? signals_->fd() : -1, POLLIN, 0}};
    if (::poll(ready, 2, timeout) < 0 && errno != EINTR) return fail(Code::internal, errno, "cannot wait");
    if (ready[1].revents != 0) {
      stop_ = signals_->take();
      if (!stop_.empty()) send_stop();
    }
    return {};
  }

  void send_stop() { client_.notify("pty.write", {{"session", session_}, {"pty", 0}, {"data", stop_}}); }

  wire::Client& client_;
  const std::string& session_;
  StopSignals* signals_;
  std::string stop_;
  base::RealClock clock_;
  std::optional<base::Moment> end_;
};

}  // namespace

StopSignals::StopSignals() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGINT);
  ::sigaddset(&wanted, SIGQUIT);
  ::sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_ = base::Fd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

std::string StopSignals::take() const {
  std::string keys;
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == sizeof info)
    keys += info.ssi_signo == SIGQUIT ? kQuitKey : kInterruptKey;
  return keys;
}

Result<void> wait_for_loop(wire::Client& client, const std::string& session,
                           std::optional<base::Duration> deadline, StopSignals* signals,
                           const Enough& enough) {
  return Waiting(client, session, deadline, signals).until(enough);
}

const json::object* pty_of(const json::object& session, int64_t number) {
  const json::value* ptys = session.if_contains("ptys");
  if (ptys == nullptr || !ptys->is_array()) return nullptr;
  for (const json::value& each : ptys->get_array()) {
    if (each.is_object() && wire::integer(each.get_object(), "id") == number) return &each.get_object();
  }
  return nullptr;
}

bool has_ended(const json::object& session) { return wire::text(session, "ended_at").has_value(); }

bool is_over(const json::object& session) {
  if (has_ended(session)) return true;
  const json::object* runner = pty_of(session, 0);
  return runner != nullptr && wire::text(*runner, "state") != "running";
}

std::string mode_of(const json::object& session) {
  const json::value* loop = session.if_contains("loop");
  return loop != nullptr && loop->is_object() ? wire::text(loop->get_object(), "mode").value_or("") : "";
}

}  // namespace cli
