// SPDX-License-Identifier: Apache-2.0
#include "daemon/connection.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "base/wipe.h"
#include "daemon/call.h"
#include "daemon/describe.h"
#include "daemon/methods.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr size_t kMostOutput = 16 << 20;   // of what a client does not read
constexpr size_t kMuchOutput = 1 << 20;    // then nothing more is taken from it until it reads
constexpr size_t kMostHeldKeys = 4 << 20;  // of what a program does not take
constexpr size_t kMostCalls = 1000;        // at once
constexpr std::chrono::milliseconds kTellTyped{20};

}  // namespace

Connection::Connection(Context& context, base::Fd socket, base::PeerIdentity peer, Closed closed)
    : context_(context),
      socket_(std::move(socket)),
      peer_(peer.pid),
      closed_(std::move(closed)),
      watch_(context.loop, socket_.get(), [this](event::Ready ready) { on_ready(ready); }),
      agent_(fmt::format("uid:{} pid:{}", peer.uid, peer.pid)),
      channel_("socket"),
      channel_kind_(context.channels.kind_of(peer.pid).value_or("")),
      tell_typed_(context.loop, [this] { tell_typed(); }) {}

Connection::~Connection() {
  // Nobody who waits for something on its behalf is left behind.
  closed_listeners_.call();
  detach();
}

void Connection::start() { watch(); }

void Connection::on_ready(event::Ready ready) {
  const auto self = shared_from_this();
  if (ready.output) {
    const bool was_full = output_.size() >= kMuchOutput;
    flush();
    if (was_full) resume();
  }
  if (ready.input && !gone_) receive();
}

void Connection::receive() {
  std::array<char, 64 << 10> buffer;
  auto received = base::receive_some(socket_.get(), buffer);
  if (!received) return close();
  reader_.append({buffer.data(), received->count});
  base::wipe(buffer.data(), received->count);
  if (!received->descriptors.empty()) descriptors_ = std::move(received->descriptors);
  take_frames();
  if (received->closed) close();
}

void Connection::take_frames() {
  while (takes_more()) {
    auto frame = reader_.next();
    if (!frame) {
      refuse({nullptr, wire::number_of(frame.error().code), frame.error()});
      break;
    }
    if (!*frame) break;
    take(**frame);
  }
  base::wipe_stack();
}

bool Connection::takes_more() const {
  return !gone_ && !closing_ && !later_ && held_keys_.size() < kMostHeldKeys && output_.size() < kMuchOutput;
}

void Connection::take(const wire::FrameView& frame) {
  if (frame.type == wire::FrameType::bytes) {
    if (!greeted_)
      return refuse({nullptr, -32600, {Code::invalid_param, 0, "the first message must be hello"}});
    return take_keys(frame.payload);
  }
  auto message = wire::parse_message(frame.payload);
  if (!message) {
    // Not JSON is not a client of ours; a message that is JSON but wrong may be followed by a better one.
    if (!greeted_) return refuse(message.error());
    return send(wire::make_error(message.error()));
  }
  if (auto* asked = std::get_if<wire::Request>(&*message)) request(std::move(*asked));
}

// What the program does not take is held here, and the client is told to send no more. Requests go past it:
// among them is what a viewer has seen, without which a program that waits for that viewer would wait for
// ever.
void Connection::take_keys(std::string_view keys) {
  session::Pty* pty = attached();
  if (pty == nullptr || keys.empty()) return;
  if (input_) {
    held_keys_ += keys;
    return;
  }
  const bool writes = pty->role_of(*this) == session::Role::writer;
  // The terminal is asked only where the answer is written down.
  const auto session = context_.sessions.find(session_);
  const bool recorded = session && (*session)->settings().keystrokes;
  const Keys kind = recorded && pty->hides_input() ? Keys::hidden : Keys::shown;
  // Before they are typed: their echo says how far they came.
  if (writes) typed_ += keys.size();
  if (auto typed = pty->type(*this, keys); !typed)
    send(wire::make_notification("pty.error", {{"message", typed.error().message()}}));
  if (!writes) return;
  if (terminal_ && terminal_->in_use()) terminal_->note_keys(typed_, told_typed_ = typed_so_far());
  if (told_typed_ != typed_ && !tell_typed_.pending()) tell_typed_.set_after(kTellTyped);
  if (pty->waiting_input() > session::Pty::kMuchInput) {
    input_ = pty->input_taken().add([this] { stop_waiting(); });
    if (!std::exchange(told_to_wait_, true)) send(wire::make_notification("pty.input", {{"open", false}}));
  }
  audit_keys(keys, kind);
}

// Typed at a terminal that is lent.
void Connection::take_borrowed(std::string_view keys, std::string_view rest) {
  const auto self = shared_from_this();
  take_keys(keys);
  if (terminal_) terminal_->note_keys(typed_, typed_so_far());
  if (!rest.empty()) return_keys(rest);
  base::wipe_stack();
}

void Connection::return_keys(std::string_view keys) {
  send(wire::make_notification("pty.returned", {{"keys", wire::to_base64(keys)}}));
}

// Bytes of keys that the terminal has, at least; those in the queue before it, which may be somebody else's,
// would be lost with this process.
uint64_t Connection::typed_so_far() const {
  const session::Pty* pty = attached();
  const uint64_t waiting = pty != nullptr ? pty->waiting_input() : 0;
  return std::max(told_typed_, typed_ - std::min(typed_, waiting));
}

void Connection::tell_typed() {
  session::Pty* pty = attached();
  if (pty == nullptr) return;
  if (const uint64_t now = typed_so_far(); now != std::exchange(told_typed_, now))
    send(wire::make_notification("pty.input", {{"open", !told_to_wait_}, {"typed", now}}));
  if (told_typed_ == typed_) return;
  drained_ = pty->input_taken().add([this] {
    drained_.reset();
    if (!tell_typed_.pending()) tell_typed_.set_after(kTellTyped);
  });
}

void Connection::audit_keys(std::string_view keys, Keys kind) {
  context_.audit.add(keys_entry(context_, agent_, channel_, {session_, pty_}, keys, kind));
}

void Connection::stop_waiting() {
  if (!std::exchange(input_, {})) return;
  context_.loop.post([self = weak_from_this()] {
    if (const auto here = self.lock()) here->resume();
  });
}

// What came while it could not be taken.
void Connection::resume() {
  if (!attached_) held_keys_.clear();
  if (!input_ && !held_keys_.empty()) take_keys(std::exchange(held_keys_, {}));
  if (!input_ && std::exchange(told_to_wait_, false) && attached_)
    send(wire::make_notification("pty.input", {{"open", true}}));
  if (!input_ && later_) request(*std::exchange(later_, {}));
  take_frames();
  watch();
}

void Connection::request(wire::Request asked) {
  if (!greeted_) {
    if (asked.method == "hello") return greet(asked);
    return refuse(
        {asked.id.value_or(nullptr), -32600, {Code::invalid_param, 0, "the first message must be hello"}});
  }
  // These come behind the keys that were sent before them.
  if (input_ && (asked.method == "pty.eof" || asked.method == "pty.detach" || asked.method == "pty.attach" ||
                 asked.method == "session.create")) {
    later_ = std::move(asked);
    return;
  }
  const Method* method = find_method(asked.method);
  const json::value id = asked.id.value_or(nullptr);
  if (method == nullptr) {
    if (asked.id)
      send(wire::make_error(id,
                            {Code::unknown_method, 0, fmt::format("there is no method '{}'", asked.method)}));
    return;
  }
  if (calls_ >= kMostCalls) {
    if (asked.id) send(wire::make_error(id, {Code::internal, EBUSY, "too many requests at once"}));
    return;
  }
  calls_++;
  start_call(context_, weak_from_this(), std::move(asked), *method);
}

void Connection::greet(const wire::Request& asked) {
  const json::value id = asked.id.value_or(nullptr);
  static constexpr std::array<wire::Param, 3> kParams = {
      {{"version", wire::Kind::integer, wire::Need::required},
       {"agent_id", wire::Kind::text},
       {"channel", wire::Kind::text}}};
  if (auto good = wire::check(asked.params, kParams); !good)
    return refuse({id, wire::number_of(good.error().code), good.error()});
  const int64_t version = wire::integer(asked.params, "version").value_or(0);
  if (version != wire::kVersion)
    return refuse(
        {id,
         wire::number_of(Code::version_mismatch),
         {Code::version_mismatch, 0,
          fmt::format("the daemon speaks version {} of the protocol, and not {}; stop it with 'tend daemon "
                      "stop', sessions stay, and try again",
                      wire::kVersion, version)}});
  // Who answers by which way stands in the audit: nobody may take a channel's name.
  if (const auto channel = wire::text(asked.params, "channel");
      channel && is_channel_name(*channel) && *channel != channel_kind_)
    return refuse(
        {id,
         wire::number_of(Code::pty_access_denied),
         {Code::pty_access_denied, 0, fmt::format("this process is not the channel {}", *channel)}});
  if (const auto agent = wire::text(asked.params, "agent_id"); agent && !agent->empty())
    agent_ = wire::cut_text(*agent, wire::kMostAgent);
  if (const auto channel = wire::text(asked.params, "channel"); channel && !channel->empty())
    channel_ = wire::cut_text(*channel, wire::kMostChannel);
  greeted_ = true;
  send(wire::make_result(id, json::object{{"version", wire::kVersion}, {"daemon", TEND_VERSION}}));
}

void Connection::refuse(const wire::Refusal& refusal) {
  send(wire::make_error(refusal));
  closing_ = true;
  if (output_.empty()) return close();
  watch_.want({.output = true});
}

void Connection::send(std::string_view text) {
  if (gone_ || text.size() > wire::kMostPayload) return;
  wire::append_frame(output_, wire::FrameType::json, text);
  note_told();
  flush();
}

// What the client does about it comes before anything more on its terminal.
void Connection::note_told() {
  told_++;
  if (terminal_) terminal_->rest();
}

void Connection::send_bytes(std::string_view bytes) {
  if (gone_) return;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, wire::kMostPayload);
    wire::append_frame(output_, wire::FrameType::bytes, piece);
    note_told();
    bytes.remove_prefix(piece.size());
  }
  flush();
}

void Connection::flush() {
  size_t sent = 0;
  while (sent < output_.size()) {
    auto taken = base::send_some(socket_.get(), std::string_view(output_).substr(sent), {});
    if (!taken) return close();
    if (*taken == 0) break;
    sent += *taken;
  }
  output_.erase(0, sent);
  if (output_.size() > kMostOutput || (closing_ && output_.empty())) return close();
  watch();
}

void Connection::watch() {
  if (!gone_) watch_.want({.input = takes_more(), .output = !output_.empty()});
}

// The rest happens when the turn is over: whoever called may be going through a list in which this one
// stands.
void Connection::close() {
  if (gone_) return;
  gone_ = true;
  watch_.want({});
  context_.loop.post([self = shared_from_this()] {
    self->detach();
    self->events_.reset();
    self->closed_listeners_.call();
    self->closed_(*self);
  });
}

session::Pty* Connection::attached() const {
  if (!attached_) return nullptr;
  const auto session = context_.sessions.find(session_);
  return session ? (*session)->pty(pty_) : nullptr;
}

Result<session::Attached> Connection::attach(session::Session& session, session::Pty& pty,
                                             const session::AttachOptions& options) {
  detach();
  auto done = pty.attach(*this, options);
  if (!done) return done;
  session_ = session.id();
  pty_ = pty.number();
  attached_ = true;
  typed_ = told_typed_ = 0;
  return done;
}

bool Connection::detach() {
  session::Pty* pty = attached();
  stop_waiting();
  tell_typed_.cancel();
  drained_.reset();
  terminal_.reset();
  if (std::exchange(attached_, false)) audit_detach("detached");
  if (pty == nullptr) return false;
  pty->detach(*this);
  return true;
}

void Connection::audit_detach(std::string_view why) {
  store::AuditEntry entry = audit_entry("detach", agent_, channel_);
  entry.session = session_;
  entry.pty = pty_;
  entry.summary = why;
  context_.audit.add(std::move(entry));
}

Result<session::Attached> Connection::resync(std::optional<pty::Size> window) {
  session::Pty* pty = attached();
  if (pty == nullptr) return fail(Code::pty_session_not_found, 0, "not attached");
  return pty->resync(*this, window);
}

void Connection::set_window(pty::Size size) {
  if (session::Pty* pty = attached()) pty->set_window(*this, size);
}

void Connection::ready(uint64_t offset, std::optional<Lent> lent) {
  session::Pty* pty = attached();
  if (pty == nullptr) return;
  // Only if it has heard all that it was told: what is still on its way will wake it, and it says so again.
  if (terminal_ && lent && lent->heard == told_) {
    told_typed_ = typed_so_far();
    terminal_->note_keys(typed_, told_typed_);
    terminal_->use(lent->round, offset);
  }
  pty->ready(*this, offset);
}

Result<void> Connection::borrow(std::vector<std::string> stops) {
  if (!attached_) return fail(Code::pty_session_not_found, 0, "not attached");
  auto borrower = pty::Borrower::take(std::exchange(descriptors_, {}), peer_);
  if (!borrower) return fail(borrower);
  terminal_ = std::make_unique<BorrowedTerminal>(
      context_.loop, std::move(*borrower), std::move(stops),
      BorrowedTerminal::Uses{
          .typed = [this] { return typed_; },
          .take = [this](std::string_view keys, std::string_view rest) { take_borrowed(keys, rest); },
          .give_back = [this] { return_keys({}); }});
  return {};
}

void Connection::progress(uint64_t offset) {
  if (session::Pty* pty = attached()) pty->progress(*this, offset);
}

void Connection::end_input() {
  if (session::Pty* pty = attached(); pty != nullptr && pty->role_of(*this) == session::Role::writer)
    pty->end_input();
}

uint64_t Connection::show(const pty::Journal& journal, uint64_t shown, uint64_t end) {
  return terminal_ ? terminal_->show(journal, shown, end) : shown;
}

void Connection::output(uint64_t end) {
  json::object params{{"end", end}};
  if (told_typed_ != typed_) params["typed"] = told_typed_ = typed_so_far();
  send(wire::make_notification("pty.output", std::move(params)));
}

void Connection::notice(const session::Notice& notice) {
  json::object params{
      {"kind", session::notice_name(notice.kind)}, {"offset", notice.offset}, {"text", notice.text}};
  if (notice.exit) {
    params["exit_code"] = notice.exit->code;
    params["signal"] = notice.exit->signal;
  }
  send(wire::make_notification("pty.notice", std::move(params)));
}

void Connection::resized(pty::Size size) {
  send(wire::make_notification("pty.resized", {{"cols", size.cols}, {"rows", size.rows}}));
}

void Connection::paced(session::Pace pace) {
  send(wire::make_notification("pty.pace", {{"behind", pace == session::Pace::behind}}));
}

void Connection::suspend() { send(wire::make_notification("pty.suspend", {})); }

void Connection::detached(std::string_view why) {
  if (!std::exchange(attached_, false)) return;
  stop_waiting();
  drained_.reset();
  terminal_.reset();
  audit_detach(why);
  send(wire::make_notification("pty.detached", {{"reason", why}}));
}

void Connection::follow(uint64_t after) {
  followed_ = after;
  events_ = context_.events.listeners().add([this] { send_events(); });
  context_.loop.post([self = weak_from_this()] {
    if (const auto here = self.lock()) here->send_events();
  });
}

void Connection::send_events() {
  const auto self = shared_from_this();
  while (!gone_ && events_) {
    const session::Event* next = context_.events.after(followed_);
    if (next == nullptr) return;
    followed_ = next->number;
    send(wire::make_notification("event", describe(*next)));
  }
}

}  // namespace host
