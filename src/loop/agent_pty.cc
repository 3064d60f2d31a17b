// SPDX-License-Identifier: Apache-2.0
#include "loop/agent_pty.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <utility>

#include "base/log.h"
#include "loop/text.h"
#include "wire/params.h"

namespace loop {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int kAgent = 1;
constexpr size_t kPiece = 64 << 10;
constexpr int kPiecesPerTurn = 16;

uint64_t number(const json::object& object, std::string_view name) {
  return static_cast<uint64_t>(std::max<int64_t>(wire::integer(object, name).value_or(0), 0));
}

pty::ExitStatus exit_in(const json::object& about) {
  return {static_cast<int>(wire::integer(about, "exit_code").value_or(0)),
          static_cast<int>(wire::integer(about, "signal").value_or(0))};
}

vt::Size size_in(const json::object& about) {
  return {std::max(static_cast<int>(number(about, "cols")), 1),
          std::max(static_cast<int>(number(about, "rows")), 1)};
}

const json::object* agent_in(const json::value& session) {
  const json::object* about = session.if_object();
  const json::value* ptys = about != nullptr ? about->if_contains("ptys") : nullptr;
  if (ptys == nullptr || !ptys->is_array()) return nullptr;
  for (const json::value& each : ptys->get_array()) {
    if (each.is_object() && wire::integer(each.get_object(), "id") == kAgent) return &each.get_object();
  }
  return nullptr;
}

// Somebody who merely reads, or pages, asks nobody anything.
bool is_question(const json::object& prompt) {
  const std::string type = wire::text(prompt, "type").value_or("");
  return !wire::flag(prompt, "ambiguous") && type != "UNKNOWN" && type != "PAGER";
}

std::optional<AgentLook::Prompt> prompt_in(const json::object& about, base::WallTime now) {
  const json::value* value = about.if_contains("prompt");
  const json::object* prompt = value != nullptr ? value->if_object() : nullptr;
  if (prompt == nullptr || !is_question(*prompt)) return {};
  const auto asked = parse_iso_time(wire::text(*prompt, "asked_at").value_or(""));
  const auto at = std::chrono::duration_cast<microseconds>(now.time_since_epoch());
  return AgentLook::Prompt{
      .id = wire::text(*prompt, "id").value_or(""),
      .question = readable(wire::text(*prompt, "question").value_or("")),
      .age = asked ? std::max<base::Duration>(at - microseconds(*asked), {}) : base::Duration::zero()};
}

}  // namespace

AgentPty::AgentPty(Station& station, std::string session) : station_(station), session_(std::move(session)) {
  station_.line.listen([this](const wire::Request& told) { hear(told); });
}

void AgentPty::prepare() {
  begun_ = false;
  end_.reset();
  look_.reset();
  // What was asked of the run before says nothing of this one.
  if (look_asked_) station_.line.forget(*std::exchange(look_asked_, std::nullopt));
  prompt_left_ = false;
}

Result<void> AgentPty::begin(uint64_t offset, const std::string& journal) {
  offset_ = offset;
  begun_ = true;
  rung_ = true;
  if (journal_ && journal_path_ == journal) return {};
  const base::Fd file(::open(journal.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return fail(Code::pty_read_failed, errno, "cannot open " + journal);
  auto mapped = pty::Journal::map(file.get(), pty::Journal::Access::read);
  if (!mapped) return fail(mapped);
  journal_ = std::move(*mapped);
  journal_path_ = journal;
  return {};
}

Result<void> AgentPty::turn() {
  if (attach_asked_) {
    if (const auto answer = station_.line.answer(*attach_asked_)) {
      attach_asked_.reset();
      take_attached(*answer);
    }
  }
  if (look_asked_) {
    if (auto answer = station_.line.answer(*look_asked_)) {
      look_asked_.reset();
      if (auto taken = take_looked(std::move(*answer)); !taken) return taken;
    }
  }
  if (!begun_ || !station_.line.up() || attached_on_ == station_.line.epoch() || attach_asked_) return {};
  attached_on_ = station_.line.epoch();
  // A connection that is lost meanwhile is followed by another one, and this comes again.
  attach_asked_ = station_.line.ask(
      "pty.attach",
      {{"session", session_}, {"pty", kAgent}, {"role", "observer"}, {"lossless", true}, {"from", offset_}},
      DaemonLine::Again::no);
  // It may have ended before, and then nobody tells of it any more.
  ask_look();
  return {};
}

void AgentPty::take_attached(const wire::Response& response) {
  const json::object* about = response.result ? response.result->if_object() : nullptr;
  const json::value* attached = about != nullptr ? about->if_contains("attached") : nullptr;
  if (attached == nullptr || !attached->is_object()) {
    // How it stands is asked for besides; a PTY that is dead cannot be attached to.
    if (!response.result && response.result.error().sys != ECONNRESET)
      base::log::say(base::log::Level::warning, "pty.attach: {}", response.result.error().message());
    if (!size_) size_ = vt::Size{80, 24};
    return;
  }
  // A snapshot, which comes if the journal has gone past this offset, is of no use: what is left there is
  // read.
  size_ = size_in(attached->get_object());
  rung_ = true;
}

void AgentPty::ask_look() {
  if (!look_asked_) look_asked_ = station_.line.ask("session.get", {{"session", session_}});
}

std::optional<AgentLook> AgentPty::take_look() { return std::exchange(look_, std::nullopt); }

Result<void> AgentPty::take_looked(wire::Response response) {
  if (!response.result) return fail(response.result);
  if (!begun_) return {};
  const json::object* about = agent_in(*response.result);
  if (about == nullptr) return fail(Code::internal, 0, "the session has lost the agent's terminal");
  AgentLook look;
  look.running = wire::text(*about, "state") == "running";
  if (const auto typed = wire::integer(*about, "typed_ms")) look.typed = milliseconds(*typed);
  look.prompt = prompt_in(*about, station_.wall());
  if (!look.running && !end_) {
    const json::value* output = about->if_contains("output");
    const uint64_t end = output != nullptr && output->is_object() ? number(output->get_object(), "end") : 0;
    end_ = End{exit_in(*about), end};
  }
  look_ = std::move(look);
  return {};
}

void AgentPty::hear(const wire::Request& told) {
  const json::object& params = told.params;
  if (told.method == "pty.output") {
    rung_ = true;
  } else if (told.method == "pty.resized") {
    size_ = size_in(params);
  } else if (told.method == "pty.notice" && wire::text(params, "kind") == "exited") {
    end_ = End{exit_in(params), number(params, "offset")};
  } else if (told.method == "pty.detached") {
    attached_on_ = 0;
  } else if (told.method == "event" && wire::text(params, "kind") == "prompt.left" &&
             wire::text(params, "session") == session_ && wire::integer(params, "pty") == kAgent) {
    prompt_left_ = true;
  }
}

bool AgentPty::read(const std::function<void(std::string_view)>& take) {
  if (!begun_ || !journal_ || !size_) return false;
  uint64_t limit = journal_->window().end;
  if (end_) limit = std::min(limit, end_->offset);
  std::string piece;
  for (int i = 0; i < kPiecesPerTurn && offset_ < limit; i++) {
    piece.resize(std::min<uint64_t>(kPiece, limit - offset_));
    const auto read = journal_->read(offset_, piece);
    piece.resize(read.count);
    offset_ = read.offset + read.count;
    if (read.count == 0) break;
    take(piece);
  }
  const bool more = offset_ < limit;
  if (attached_on_ != station_.line.epoch() || attach_asked_) return more;
  if (more)
    station_.line.notify("pty.progress", {{"offset", offset_}});
  else if (std::exchange(rung_, false))
    station_.line.notify("pty.ready", {{"offset", offset_}});
  return more;
}

std::optional<pty::ExitStatus> AgentPty::exit() const {
  if (!end_ || !journal_ || offset_ < std::min(end_->offset, journal_->window().end)) return {};
  return end_->exit;
}

}  // namespace loop
