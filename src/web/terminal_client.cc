// SPDX-License-Identifier: Apache-2.0
#include "web/terminal_client.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "daemon/describe.h"
#include "vt/modes.h"
#include "web/limits.h"

namespace web {
namespace {

using base::Code;
using base::Result;
namespace json = boost::json;

constexpr uint16_t kTryAgainLater = 1013;

}  // namespace

TerminalClient::TerminalClient(host::Context& context, Gates& gates, std::string agent)
    : context_(context), gates_(gates), agent_(std::move(agent)) {}

TerminalClient::~TerminalClient() { leave(); }

Result<void> TerminalClient::attach(session::Session& session, uint32_t number,
                                    const session::AttachOptions& options) {
  session::Pty* pty = session.pty(number);
  if (pty == nullptr) return std::unexpected(session.lacks(number));
  auto done = pty->attach(*this, options);
  if (!done) return base::fail(done);
  at_ = {session.id(), number};
  attached_ = true;
  json::value prompt = host::prompt_of(session, pty);
  last_prompt_ = json::serialize(prompt);
  say({{"type", "hello"},
       {"session", session.id()},
       {"name", session.name()},
       {"pty", number},
       {"role", writes() ? "writer" : "observer"},
       {"cols", done->size.cols},
       {"rows", done->size.rows},
       {"offset", done->offset},
       {"filtered", Gates::is_guarded(session, number)},
       {"prompt", std::move(prompt)}});
  begin(*done, "attach");
  followed_ = context_.events.next() - 1;
  events_ = context_.events.listeners().add([this] { say_prompt(); });
  audit("attach", writes() ? "writer" : "observer");
  return {};
}

void TerminalClient::use(Link& link) {
  link_ = &link;
  link.wake();
}

void TerminalClient::leave() {
  link_ = nullptr;
  events_.reset();
  input_.reset();
  // One that has left is destroyed with the loop, when there are no sessions any more.
  if (!std::exchange(attached_, false)) return;
  session::Pty* at = pty();
  audit("detach", "detached");
  if (at != nullptr) at->detach(*this);
}

session::Session* TerminalClient::session() const {
  if (at_.session.empty()) return nullptr;
  const auto found = context_.sessions.find(at_.session);
  return found ? *found : nullptr;
}

session::Pty* TerminalClient::pty() const {
  session::Session* of = session();
  return of != nullptr ? of->pty(at_.pty) : nullptr;
}

bool TerminalClient::writes() const {
  const session::Pty* at = pty();
  return at != nullptr && at->role_of(*this) == session::Role::writer;
}

void TerminalClient::wake() const {
  if (link_ != nullptr) link_->wake();
}

// Whoever does not even read these has gone, or means harm.
void TerminalClient::say(const json::object& message) {
  control_.push_back(json::serialize(message));
  control_bytes_ += control_.back().size();
  if (control_bytes_ > kMostControl && link_ != nullptr) return link_->close(kTryAgainLater, "too slow");
  wake();
}

void TerminalClient::say_at_end(const json::object& message) {
  const session::Pty* at = pty();
  if (at == nullptr || at->journal().window().end <= offset_) return say(message);
  marks_.push_back({at->journal().window().end, json::serialize(message)});
  wake();
}

void TerminalClient::begin(const session::Attached& attached, std::string_view reason) {
  offset_ = attached.offset;
  if (seen_) seen_ = offset_;
  if (!attached.snapshot) return wake();
  marks_.clear();
  snapshot_ = *attached.snapshot;
  snapshot_sent_ = 0;
  say({{"type", "resync"},
       {"offset", offset_},
       {"bytes", snapshot_.size()},
       {"cols", attached.size.cols},
       {"rows", attached.size.rows},
       {"reason", reason}});
}

void TerminalClient::resync(std::string_view reason) {
  if (session::Pty* at = pty()) begin(at->resync(*this), reason);
}

std::optional<Frame> TerminalClient::next_frame() {
  // A snapshot follows the message that announces it: nothing comes between its pieces.
  if (snapshot_sent_ == 0 || snapshot_.empty()) {
    if (!control_.empty()) {
      Frame frame{Frame::Kind::text, std::move(control_.front())};
      control_.pop_front();
      control_bytes_ -= frame.bytes.size();
      return frame;
    }
  }
  if (!snapshot_.empty()) {
    Frame frame{Frame::Kind::binary, snapshot_.substr(snapshot_sent_, kPiece)};
    snapshot_sent_ += frame.bytes.size();
    if (snapshot_sent_ >= snapshot_.size()) {
      snapshot_ = {};
      snapshot_sent_ = 0;
    }
    return frame;
  }
  if (!marks_.empty() && marks_.front().offset <= offset_) {
    Frame frame{Frame::Kind::text, std::move(marks_.front().text)};
    marks_.pop_front();
    return frame;
  }
  auto frame = next_output();
  if (!frame && over_ && link_ != nullptr) link_->close(1000, "detached");
  return frame;
}

std::optional<Frame> TerminalClient::next_output() {
  session::Pty* at = pty();
  if (at == nullptr) return {};
  const pty::Journal& journal = at->journal();
  const pty::Journal::Window window = journal.window();
  if (offset_ >= window.end) {
    pace_.caught_up();
    if (attached_) at->ready(*this, offset_);
    return {};
  }
  if (seen_ && offset_ - std::min(offset_, *seen_) >= kSeenWindow) return {};
  if (offset_ < window.begin || window.end - offset_ > journal.capacity() / kBehindOf * kBehind) {
    resync("slow");
    return next_frame();
  }
  uint64_t length = std::min<uint64_t>(window.end - offset_, kPiece);
  if (!marks_.empty()) length = std::min(length, marks_.front().offset - offset_);
  Frame frame{Frame::Kind::binary, {}};
  frame.bytes.resize_and_overwrite(
      length, [&](char* bytes, size_t size) { return journal.read(offset_, {bytes, size}).count; });
  offset_ += frame.bytes.size();
  // The program waits for a browser that is about as fast as it: so it must know how far that is.
  pace_.took(frame.bytes.size(), clock_.now());
  if (attached_ && pace_.keeps_up()) at->progress(*this, offset_);
  return frame;
}

void TerminalClient::output(uint64_t) { wake(); }

void TerminalClient::notice(const session::Notice& notice) {
  json::object message{{"type", "notice"},
                       {"kind", session::notice_name(notice.kind)},
                       {"offset", notice.offset},
                       {"text", notice.text}};
  if (notice.exit) {
    message["exit_code"] = notice.exit->code;
    message["signal"] = notice.exit->signal;
  }
  if (notice.offset <= offset_) return say(message);
  marks_.push_back({notice.offset, json::serialize(message)});
  wake();
}

void TerminalClient::resized(pty::Size size) {
  if (attached_) say_at_end({{"type", "resize"}, {"cols", size.cols}, {"rows", size.rows}});
}

void TerminalClient::detached(std::string_view why) {
  if (!attached_) return;
  // What was written last is in the journal still, and is sent before the end.
  say_at_end({{"type", "detached"}, {"reason", why}});
  over_ = true;
  attached_ = false;
  audit("detach", why);
  wake();
}

void TerminalClient::say_prompt() {
  const auto* newest = context_.events.after(followed_);
  if (newest == nullptr) return;
  followed_ = context_.events.next() - 1;
  const session::Session* of = session();
  if (of == nullptr) return;
  json::value prompt = host::prompt_of(*of, pty());
  std::string text = json::serialize(prompt);
  if (text == last_prompt_) return;
  last_prompt_ = std::move(text);
  say({{"type", "prompt"}, {"prompt", std::move(prompt)}});
}

void TerminalClient::take_keys(std::string_view keys) {
  if (writes()) type(guard_.take(keys));
}

void TerminalClient::type(std::string_view bytes) {
  const session::Session* of = session();
  if (of == nullptr || bytes.empty()) return;
  const session::Pty* at = pty();
  const bool hidden = at != nullptr && at->hides_input();
  context_.audit.add(
      host::keys_entry(context_, agent_, "web", at_, bytes, hidden ? host::Keys::hidden : host::Keys::shown));
  Gate* gate = gates_.of(*of, at_.pty);
  if (gate == nullptr) return pass(bytes);
  const filter::Filtered result = gate->take(bytes, agent_);
  pass(result.bytes);
  warn(result);
}

void TerminalClient::pass(std::string_view bytes) {
  session::Pty* at = pty();
  if (at == nullptr || bytes.empty()) return;
  if (input_) {
    held_keys_ += bytes;
    if (held_keys_.size() > kMostHeldKeys && link_ != nullptr) link_->close(kTryAgainLater, "too much input");
    return;
  }
  if (auto typed = at->type(*this, bytes); !typed)
    say({{"type", "error"},
         {"code", base::code_name(typed.error().code)},
         {"message", typed.error().message()}});
  if (at->waiting_input() <= session::Pty::kMuchInput) return;
  say({{"type", "input"}, {"open", false}});
  // Not at once: whoever calls goes through its listeners.
  input_ = at->input_taken().add([this] {
    context_.loop.post([this, alive = std::weak_ptr(input_)] {
      if (!alive.expired()) resume_input();
    });
  });
}

void TerminalClient::resume_input() {
  input_.reset();
  pass(std::exchange(held_keys_, {}));
  if (!input_) say({{"type", "input"}, {"open", true}});
}

void TerminalClient::warn(const filter::Filtered& result) {
  gates_.note(result, agent_, at_);
  if (result.blocked > 0) say({{"type", "warning"}, {"reason", "blocked"}, {"text", filter::kWarning}});
  if (result.debounced > 0) say({{"type", "warning"}, {"reason", "debounced"}, {"text", filter::kWarning}});
}

void TerminalClient::paste(std::string_view text) {
  const session::Pty* at = pty();
  if (at == nullptr || !writes()) return;
  const std::string harmless = filter::harmless_paste(text);
  const bool brackets = at->screen().modes()[vt::Mode::bracketed_paste];
  type(brackets ? "\x1b[200~" + harmless + "\x1b[201~" : harmless);
}

void TerminalClient::take_control(std::string_view text) {
  boost::system::error_code wrong;
  const json::value parsed = json::parse(text, wrong);
  const json::object* message = wrong ? nullptr : parsed.if_object();
  const json::value* type = message != nullptr ? message->if_contains("type") : nullptr;
  if (type == nullptr || !type->is_string())
    return say(
        {{"type", "error"}, {"code", "INVALID_PARAM"}, {"message", "a message is an object with a type"}});
  const auto number = [&](std::string_view name) -> std::optional<int64_t> {
    const json::value* value = message->if_contains(name);
    return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
  };
  const std::string_view kind = type->get_string();
  if (kind == "resize") {
    session::Pty* at = pty();
    const auto cols = number("cols");
    const auto rows = number("rows");
    const auto fit = [](int64_t cells) {
      return static_cast<uint16_t>(std::clamp<int64_t>(cells, 1, pty::kMostCells));
    };
    if (at != nullptr && cols && rows) at->set_window(*this, {fit(*cols), fit(*rows)});
  } else if (kind == "paste") {
    const json::value* pasted = message->if_contains("text");
    if (pasted != nullptr && pasted->is_string()) paste(pasted->get_string());
  } else if (kind == "seen") {
    if (const auto offset = number("offset")) {
      seen_ = std::clamp(static_cast<uint64_t>(std::max<int64_t>(*offset, 0)), seen_.value_or(0), offset_);
      wake();
    }
  } else if (kind == "resync") {
    resync("asked");
  }
}

void TerminalClient::audit(std::string_view action, std::string_view summary) {
  store::AuditEntry entry = host::audit_entry(std::string(action), agent_, "web");
  entry.session = at_.session;
  entry.pty = at_.pty;
  entry.summary = summary;
  context_.audit.add(std::move(entry));
}

}  // namespace web
