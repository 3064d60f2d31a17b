// SPDX-License-Identifier: Apache-2.0
#include "web/gate.h"

#include <fmt/format.h>
#include <utility>

namespace web {

Gate::Gate(host::Context& context, host::PtyName at, const filter::Rules& rules)
    : context_(context), at_(std::move(at)), filter_(rules), timer_(context.loop, [this] { release(); }) {}

filter::Filtered Gate::take(std::string_view bytes, const std::string& by) {
  by_ = by;
  filter::Filtered result = filter_.take(bytes, clock_.now());
  set_timer();
  return result;
}

void Gate::release() {
  const filter::Filtered result = filter_.release(clock_.now());
  const auto session = context_.sessions.find(at_.session);
  session::Pty* pty = session ? (*session)->pty(at_.pty) : nullptr;
  // Keys for a program that has gone are nobody's loss.
  if (pty != nullptr && !result.bytes.empty()) (void)pty->write(result.bytes, by_);
  set_timer();
}

void Gate::set_timer() {
  if (const auto due = filter_.due())
    timer_.set(*due);
  else
    timer_.cancel();
}

// Of a loop, PTY 0 is its runner, and the agent is behind it.
bool Gates::is_guarded(const session::Session& session, uint32_t pty) {
  return pty == 0 || pty == session.agent_number();
}

filter::Rules Gates::rules_of(const session::Session& session) {
  const config::InputFilter& settings = session.settings().input_filter;
  return {.sequences = settings.block_sequences,
          .anchor = settings.anchor == config::Anchor::line ? filter::Anchor::line : filter::Anchor::anywhere,
          .partial_hold = settings.partial_hold,
          .ctrl_c_debounce = settings.ctrl_c_debounce};
}

Gate* Gates::of(const session::Session& session, uint32_t pty) {
  if (!is_guarded(session, pty)) return nullptr;
  auto& gate = gates_[{session.id(), pty}];
  if (gate) return gate.get();
  std::erase_if(gates_, [&](const auto& each) {
    return each.first.first != session.id() && !context_.sessions.find(each.first.first);
  });
  gate = std::make_unique<Gate>(context_, host::PtyName{session.id(), pty}, rules_of(session));
  return gate.get();
}

void Gates::note(const filter::Filtered& result, const std::string& by, const host::PtyName& at) {
  if (result.blocked + result.debounced == 0) return;
  blocked_ += result.blocked + result.debounced;
  store::AuditEntry entry = host::audit_entry("filter_block", by, "web");
  entry.session = at.session;
  entry.pty = at.pty;
  entry.count = result.blocked + result.debounced;
  entry.summary = fmt::format("{} blocked, {} debounced", result.blocked, result.debounced);
  context_.audit.add(std::move(entry));
}

}  // namespace web
