// SPDX-License-Identifier: Apache-2.0
#include "daemon/call.h"

#include <utility>

#include "daemon/connection.h"
#include "daemon/methods.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {

using base::Code;
namespace json = wire::json;

Call::Call(Context& context, std::weak_ptr<Asker> asker, wire::Request request)
    : context_(context), asker_(std::move(asker)), request_(std::move(request)) {
  audit_.at = store::wall_now();
  if (const auto from = asker_.lock()) {
    audit_.agent = from->agent();
    audit_.channel = from->channel();
  }
  if (const json::value* agent = request_.params.if_contains("agent_id");
      agent != nullptr && agent->is_string()) {
    audit_.agent = wire::cut_text(std::string_view(agent->get_string()), wire::kMostAgent);
    request_.params.erase("agent_id");
  }
}

Call::~Call() {
  if (!ended_) fail({Code::internal, 0, "the request came to nothing"});
}

std::shared_ptr<Connection> Call::connection() const {
  return std::dynamic_pointer_cast<Connection>(asker_.lock());
}

void Call::finish(json::value result) {
  if (ended_) return;
  ended_ = true;
  std::string text = request_.id ? wire::make_result(*request_.id, std::move(result)) : std::string();
  if (text.size() > wire::kMostPayload)
    text = wire::make_error(
        *request_.id, {Code::message_too_large, 0, "the answer has more than 1 MiB; ask for a part of it"});
  answer(std::move(text));
}

void Call::fail(const base::Error& error, json::object data) {
  if (ended_) return;
  ended_ = true;
  audit_.result = base::code_name(error.code);
  audit_.summary = error.message();
  answer(request_.id ? wire::make_error(*request_.id, error, std::move(data)) : std::string());
}

// What was done is answered when the audit has it on the disk.
void Call::answer(std::string text) {
  const auto send = [asker = asker_, text = std::move(text), then = std::move(then_)] {
    if (const auto to = asker.lock()) {
      to->call_ended();
      if (!text.empty()) to->send(text);
    }
    if (then) then();
  };
  if (audit_.action.empty()) return send();
  context_.audit.add(std::move(audit_), send);
}

session::Session* Call::session() {
  const auto name = wire::text(params(), "session");
  auto found = context_.sessions.find(name.value_or(""));
  if (!found) {
    if (name) audit_.summary = *name;
    fail(found.error());
    return nullptr;
  }
  audit_.session = (*found)->id();
  return *found;
}

session::Pty* Call::pty() {
  session::Session* of = session();
  if (of == nullptr) return nullptr;
  const auto number = static_cast<uint32_t>(wire::integer(params(), "pty").value_or(of->agent_number()));
  audit_.pty = number;
  session::Pty* found = of->pty(number);
  if (found == nullptr) fail(of->lacks(number));
  return found;
}

}  // namespace host
