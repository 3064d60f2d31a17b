// SPDX-License-Identifier: Apache-2.0
// What the daemon says to an attached terminal, and what happens when it is gone.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cli/attachment.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::Result;
using std::chrono::milliseconds;
namespace json = wire::json;

constexpr milliseconds kRetryPause{20};
constexpr std::chrono::seconds kStatusTime{5};
constexpr std::chrono::seconds kGiveUp{60};

}  // namespace

Result<void> Attachment::hear() {
  while (client_) {
    auto next = client_->next();
    if (!next) {
      lost();
      return {};
    }
    if (!*next) return {};
    if (auto* bytes = std::get_if<wire::Bytes>(&**next))
      take_snapshot(bytes->data);
    else if (auto* response = std::get_if<wire::Response>(&**next))
      take(std::move(*response));
    else
      take(std::get<wire::Request>(**next));
  }
  return {};
}

void Attachment::take(const wire::Request& notification) {
  const json::object& params = notification.params;
  note_typed(params);
  if (notification.method == "pty.output") {
    rung_ = true;
  } else if (notification.method == "pty.notice") {
    const auto offset = static_cast<uint64_t>(wire::integer(params, "offset").value_or(0));
    const std::string kind = wire::text(params, "kind").value_or("");
    // How a loop ended is said by its summary.
    const bool silent = options_.loop && pty_ == 0 && kind == "exited";
    notices_.push_back({offset, silent ? "" : wire::text(params, "text").value_or("")});
    if (kind == "exited")
      exit_ = pty::ExitStatus{static_cast<int>(wire::integer(params, "exit_code").value_or(0)),
                              static_cast<int>(wire::integer(params, "signal").value_or(0))};
    if (kind == "restarted") exit_.reset();
  } else if (notification.method == "pty.detached") {
    end_ = AttachmentEnd{.exit = exit_, .reason = wire::text(params, "reason").value_or("")};
  } else if (notification.method == "pty.resized") {
    const bool was_painted = painted();
    size_ = {static_cast<uint16_t>(wire::integer(params, "cols").value_or(1)),
             static_cast<uint16_t>(wire::integer(params, "rows").value_or(1))};
    if (was_painted || painted()) ask_for_screen();
  } else if (notification.method == "pty.pace") {
    const bool was_painted = painted();
    behind_ = wire::flag(params, "behind");
    if (was_painted || painted()) ask_for_screen();
  } else if (notification.method == "pty.suspend") {
    terminal_.suspend();
  } else if (notification.method == "pty.returned") {
    const auto keys = wire::from_base64(wire::text(params, "keys").value_or(""));
    keeps_terminal_ = !keys || keys->empty();
    if (!keeps_terminal_) type(*keys);
  } else if (notification.method == "pty.input") {
    const bool was_open = std::exchange(input_open_, wire::flag(params, "open"));
    if (input_open_ && !was_open) send_kept_keys();
  } else if (notification.method == "event" && wire::text(params, "kind") == "loop.changed" &&
             wire::text(params, "session") == session_) {
    const json::value loop = params;
    note_loop(&loop);
  }
}

void Attachment::take(wire::Response response) {
  if (attach_asked_ && response.id == *attach_asked_) {
    attach_asked_.reset();
    if (response.result && response.result->is_object()) {
      if (const json::value* attached = response.result->get_object().if_contains("attached"))
        return rejoined(attached->get_object());
    }
    if (!response.result && response.result.error().code == Code::pty_process_exited) {
      exit_asked_ = client_->send("session.get", {{"session", session_}});
      return;
    }
    end_ = AttachmentEnd{.exit = {}, .reason = response.result ? "" : response.result.error().message()};
    return;
  }
  if (exit_asked_ && response.id == *exit_asked_) return learn_exit(response);
  if (take_control_answer(response)) return;
  if (loan_ && loan_->take_answer(response)) {
    rung_ = true;
    return;
  }
  if (!screen_asked_ || response.id != *screen_asked_) return;
  screen_asked_.reset();
  if (last_screen_asked_ && response.id == *last_screen_asked_) return take_last_screen(response);
  if (!response.result || !response.result->is_object()) return show_rest();
  const json::object& screen = response.result->get_object();
  offset_ = told_ = static_cast<uint64_t>(wire::integer(screen, "offset").value_or(0));
  snapshot_left_ = static_cast<size_t>(wire::integer(screen, "snapshot_bytes").value_or(0));
  piece_.clear();
  shown_ = 0;
  rung_ = true;
  // What was said before this screen is on it.
  std::erase_if(notices_, [&](const Notice& each) { return each.offset < offset_ || painted(); });
}

// The program has ended, and its PTY can be looked at but not attached to. A terminal that was painted is
// painted for the last time; another one is shown what the journal still has.
void Attachment::show_rest() {
  const auto window = journal_.window();
  if (!painted()) {
    offset_ = std::max(offset_, window.begin);
    return;
  }
  if (!client_ || last_screen_asked_) {
    notices_.clear();
    offset_ = window.end;
    return;
  }
  last_screen_asked_ = client_->send("pty.screen", {{"session", session_},
                                                    {"pty", pty_},
                                                    {"format", "ansi"},
                                                    {"cols", window_.cols},
                                                    {"rows", window_.rows}});
  screen_asked_ = last_screen_asked_;
}

void Attachment::take_last_screen(const wire::Response& response) {
  if (response.result && response.result->is_object())
    show_before(terminal_.begin_screen() + wire::text(response.result->get_object(), "data").value_or(""));
  notices_.clear();
  offset_ = journal_.window().end;
}

void Attachment::learn_exit(const wire::Response& response) {
  exit_asked_.reset();
  end_ = AttachmentEnd{.exit = {}, .reason = "the program has ended"};
  if (!response.result || !response.result->is_object()) return;
  const json::value* ptys = response.result->get_object().if_contains("ptys");
  if (ptys == nullptr || !ptys->is_array()) return;
  for (const json::value& each : ptys->get_array()) {
    const json::object& about = each.get_object();
    if (wire::integer(about, "id") != pty_ || !wire::integer(about, "exit_code")) continue;
    end_->exit = pty::ExitStatus{static_cast<int>(*wire::integer(about, "exit_code")),
                                 static_cast<int>(wire::integer(about, "signal").value_or(0))};
  }
}

void Attachment::take_snapshot(std::string_view bytes) {
  snapshot_ += bytes;
  snapshot_left_ -= std::min(snapshot_left_, bytes.size());
  if (snapshot_left_ > 0) return;
  std::string screen = terminal_.begin_screen() + std::exchange(snapshot_, {});
  // At once, where the terminal can do that: a screen that is built up flickers. Where output goes on behind
  // it, nothing may stand between: the snapshot may end in the middle of a sequence.
  if (painted()) screen = "\x1b[?2026h" + screen + "\x1b[?2026l";
  show_before(screen);
}

void Attachment::note_typed(const json::object& params) {
  if (const auto typed = wire::integer(params, "typed")) reached_ = static_cast<uint64_t>(*typed);
}

// What this daemon cannot have had goes to the next one. What it may have had must not be typed twice; and
// behind that, nothing may follow as if it had arrived.
void Attachment::keep_unsent_keys() {
  for (auto next = client_->next(); next && *next; next = client_->next()) {
    if (const auto* told = std::get_if<wire::Request>(&**next)) note_typed(told->params);
  }
  const std::string unsent = client_->unsent_bytes();
  const uint64_t in_doubt = std::exchange(typed_, 0) - std::exchange(reached_, 0);
  if (in_doubt == unsent.size())
    keys_.insert(0, unsent);
  else
    doubtful_ += in_doubt;
}

void Attachment::lost() {
  take_terminal_back();
  if (loan_) loan_->withdraw();
  if (options_.role == "writer") keep_unsent_keys();
  client_.reset();
  attach_asked_.reset();
  screen_asked_.reset();
  control_asked_.reset();
  loop_asked_.reset();
  behind_ = false;
  // A screen that has come in part is none, and what it was to show is not in the output that follows.
  screen_lost_ = screen_lost_ || snapshot_left_ > 0;
  snapshot_left_ = 0;
  snapshot_.clear();
  lost_at_ = clock_.now();
  retry_ = lost_at_;
}

void Attachment::try_again() {
  auto client = options_.reconnect();
  if (!client) {
    retry_ = clock_.now() + kRetryPause;
    if (clock_.now() - lost_at_ > kGiveUp) {
      retry_.reset();
      end_ = AttachmentEnd{.exit = exit_, .reason = "the daemon is gone: " + client.error().message()};
    }
    return;
  }
  retry_.reset();
  client_ = std::move(*client);
  json::object params{
      {"session", session_}, {"pty", pty_}, {"role", options_.role}, {"lossless", options_.lossless}};
  if (!screen_lost_) params["from"] = offset_;
  if (terminal_.is_terminal() && options_.follow_window) {
    params["cols"] = terminal_.size().cols;
    params["rows"] = terminal_.size().rows;
  }
  attach_asked_ = client_->send("pty.attach", std::move(params));
}

// The output goes on where it is, which may be further than it was when we asked: the journal was before our
// eyes all the time. If the journal has gone past that, there is a snapshot.
void Attachment::rejoined(const json::object& attached) {
  if (wire::integer(attached, "snapshot_bytes")) {
    screen_lost_ = false;
    piece_.clear();
    shown_ = 0;
    note_attached(attached);
  }
  rung_ = true;
  input_open_ = true;
  offer_terminal();
  note_run(attached);
  send_control();
  watch_loop();
  if (doubtful_ > 0) tell_doubt();
  send_kept_keys();
}

// On the last row, for a moment: then the screen is painted anew.
void Attachment::tell_doubt() {
  const std::string what = fmt::format("the daemon was replaced; {} bytes typed before may not have arrived",
                                       std::exchange(doubtful_, 0));
  if (!terminal_.shows()) {
    fmt::print(stderr, "tend: {}\n", what);
    return;
  }
  const std::string line = fmt::format(" tend: {} ", what).substr(0, std::max<size_t>(window_.cols, 1) - 1);
  const std::string status = fmt::format("\0337\033[999;1H\033[0;7m{}\033[0m\033[K\0338", line);
  if (painted())
    show_before(status);
  else
    notices_.push_front({notices_.empty() ? offset_ : std::min(offset_, notices_.front().offset), status});
  paint_at_ = clock_.now() + kStatusTime;
}

void Attachment::send_keys(std::string_view keys) {
  if (options_.role == "writer") typed_ += keys.size();
  client_->send_bytes(keys);
}

void Attachment::send_kept_keys() {
  if (!keys_.empty()) send_keys(std::exchange(keys_, {}));
  if (input_ended_ && !terminal_.is_terminal()) client_->notify("pty.eof", {});
}

}  // namespace cli
