// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_view.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/access.h"
#include "cli/attachment.h"
#include "cli/loop_end.h"
#include "cli/loop_router.h"
#include "cli/loop_wait.h"
#include "cli/output.h"
#include "cli/relay.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

class LoopView {
 public:
  LoopView(UserTerminal& terminal, wire::Client client, LoopSeat seat)
      : terminal_(terminal), client_(std::move(client)), seat_(std::move(seat)) {}

  Result<int> run() {
    for (;;) {
      auto pty = find_pty();
      if (!pty) return fail(pty);
      if (!*pty) return conclude();
      auto end = show(**pty);
      if (!end && end.error().sys == EPIPE) return end_unread();
      if (!end) return fail(end);
      auto client = reach_daemon();
      if (!client) return fail(client);
      client_ = std::move(*client);
      if (end->left) continue;
      return loop_is_over(*end) ? conclude() : say_detached(*end);
    }
  }

 private:
  static constexpr std::string_view kGone = "the program has ended";

  // Left, or sent away by somebody who took over, is another thing.
  bool loop_is_over(const AttachmentEnd& end) {
    if (end.reason.empty()) return false;
    if (end.reason == kGone || end.reason == "the loop has ended" || end.reason == "killed") return true;
    auto session = client_.call("session.get", {{"session", seat_.session}});
    return session ? is_over(session->as_object()) : session.error().code == Code::pty_session_not_found;
  }

  // Nothing: the loop is over.
  Result<std::optional<uint32_t>> find_pty() {
    if (seat_.attached) return 0;
    StopSignals signals;
    std::optional<uint32_t> found;
    auto waited = wait_for_loop(client_, seat_.session, {}, &signals, [&](const json::object* session) {
      if (session == nullptr || is_over(*session)) return true;
      const std::string mode = mode_of(*session);
      if (seat_.headless || mode == "headless") {
        seat_.headless = true;
        found = 0;
      } else if (pty_of(*session, 1) != nullptr) {
        found = 1;
      }
      return found.has_value();
    });
    if (!waited) return fail(waited);
    return found;
  }

  Result<AttachmentEnd> show(uint32_t pty) {
    const bool lossless = !terminal_.shows();
    auto attached = attach(pty, lossless);
    if (!attached && attached.error().code == Code::pty_process_exited) return show_last_screen(pty);
    if (!attached) return fail(attached);
    // Where the keyboard is raw, the keys come as bytes.
    std::optional<StopSignals> signals;
    if (!terminal_.is_terminal()) signals.emplace();
    LoopRouter router(keyboard(pty), clock_);
    LoopHooks hooks{.route = [&](std::string_view keys, bool runs) { return router.route(keys, runs); },
                    .release = [&](bool runs) { return router.release(runs); },
                    .hold = loop::Keys::kHold};
    if (signals) {
      hooks.control_fd = signals->fd();
      hooks.take_control = [&] { return signals->take(); };
    }
    if (pty != 0)
      hooks.leave = [](const json::object& loop) { return wire::text(loop, "mode") == "headless"; };
    hooks.resizes = seat_.resizes && role(pty) == "observer";
    auto attachment = Attachment::create(terminal_, std::move(client_), *attached,
                                         {.role = role(pty),
                                          .lossless = lossless,
                                          .follow_window = role(pty) == "writer",
                                          .detach_key = seat_.detach_key,
                                          .reconnect = reach_daemon,
                                          .plain_newlines = pty == 0 && ::isatty(1) == 0,
                                          .loop = std::move(hooks)});
    if (!attachment) return fail(attachment);
    if (auto entered = terminal_.enter(); !entered) return fail(entered);
    auto end = attachment->run();
    terminal_.leave();
    return end;
  }

  std::string role(uint32_t pty) const { return seat_.observe && pty != 0 ? "observer" : "writer"; }

  LoopRouter::Keyboard keyboard(uint32_t pty) const {
    if (pty == 0) return LoopRouter::Keyboard::of_runner;
    return seat_.observe ? LoopRouter::Keyboard::cut_off : LoopRouter::Keyboard::of_agent;
  }

  Result<json::object> attach(uint32_t pty, bool lossless) {
    if (seat_.attached) return *std::exchange(seat_.attached, std::nullopt);
    json::object params{
        {"session", seat_.session}, {"pty", pty}, {"role", role(pty)}, {"lossless", lossless}};
    if (seat_.from_beginning || lossless) params["from"] = 0;
    if (role(pty) == "writer") add_window(params, terminal_);
    auto answer = client_.call("pty.attach", std::move(params));
    if (!answer) return fail(answer);
    return answer->at("attached").as_object();
  }

  // It was over before this terminal was there.
  Result<AttachmentEnd> show_last_screen(uint32_t pty) {
    auto screen = client_.call("pty.screen", {{"session", seat_.session}, {"pty", pty}, {"format", "text"}});
    if (screen) fmt::print("{}", harmless_lines(wire::text(screen->as_object(), "data").value_or("")));
    return AttachmentEnd{.exit = {}, .reason = std::string(kGone)};
  }

  Result<int> conclude() {
    // In its own terminal the runner has printed it already.
    return conclude_loop(client_, seat_.session, seat_.folder,
                         seat_.headless ? Summary::was_seen : Summary::wanted);
  }

  // Nobody reads what is printed, as in `tend loop | head`.
  Result<int> end_unread() {
    auto client = reach_daemon();
    if (!client) return fail(client);
    auto killed =
        client->call("pty.kill", {{"session", seat_.session}, {"pty", 0}}, std::chrono::seconds(60));
    if (!killed && killed.error().code != Code::pty_process_exited) return fail(killed);
    return 128 + SIGPIPE;
  }

  Result<int> say_detached(const AttachmentEnd& end) {
    const std::string why = end.reason.empty() ? "" : ": " + end.reason;
    if (terminal_.shows())
      fmt::print("\n[detached from {}{}; the loop goes on: tend loop attach {}]\n", seat_.name, why,
                 seat_.name);
    std::fflush(stdout);
    return end.reason.empty() ? kDone : kFailed;
  }

  UserTerminal& terminal_;
  wire::Client client_;
  LoopSeat seat_;
  base::RealClock clock_;
};

}  // namespace

Result<UserTerminal> open_loop_terminal() {
  if (::isatty(1) != 0) return UserTerminal::open();
  return UserTerminal::output_only();
}

Result<int> view_loop(UserTerminal& terminal, wire::Client client, LoopSeat seat) {
  if (::isatty(1) == 0) std::signal(SIGPIPE, SIG_IGN);
  return LoopView(terminal, std::move(client), std::move(seat)).run();
}

}  // namespace cli
