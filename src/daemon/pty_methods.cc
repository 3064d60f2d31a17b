// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "daemon/connection.h"
#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "session/keys.h"
#include "vt/picture.h"
#include "vt/text_view.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
namespace json = wire::json;

Result<std::string> input_of(const Call& call, const session::Pty& pty) {
  std::string bytes = wire::text(call.params(), "data").value_or("");
  if (const auto encoding = wire::text(call.params(), "encoding")) {
    const auto decoded = wire::from_base64(bytes);
    if (*encoding == "base64" && decoded)
      bytes = *decoded;
    else if (*encoding != "text")
      return base::fail(Code::invalid_param, 0, "encoding must be text or base64, and the data must be that");
  }
  for (const std::string& name : wire::texts(call.params(), "keys")) {
    auto key = session::key_bytes(name, pty.screen());
    if (!key) return base::fail(key);
    bytes += *key;
  }
  if (wire::flag(call.params(), "enter")) bytes += '\r';
  return bytes;
}

}  // namespace

pty::Size size_of(const Call& call, pty::Size fallback) {
  const auto fit = [&](std::string_view name, uint16_t usual) {
    return static_cast<uint16_t>(
        std::clamp<int64_t>(wire::integer(call.params(), name).value_or(usual), 1, pty::kMostCells));
  };
  return {fit("cols", fallback.cols), fit("rows", fallback.rows)};
}

void write(const CallPtr& call) {
  session::Pty* pty = call->pty();
  if (pty == nullptr) return;
  auto bytes = input_of(*call, *pty);
  if (!bytes) return call->fail(bytes.error());
  call->audit().bytes = *bytes;
  call->audit().secret = pty->hides_input();
  call->audit().journal_offset = static_cast<int64_t>(pty->journal().window().end);
  EvidenceKeeper& evidence = call->context().evidence;
  const auto session = call->context().sessions.find(call->audit().session);
  auto pending = evidence.begin(*call, **session, *pty);
  Asker::Admitted admitted{*bytes};
  if (const auto asker = call->asker()) admitted = asker->admit(**session, *pty, *bytes);
  if (!admitted.bytes.empty() || bytes->empty()) {
    if (auto written = pty->write(admitted.bytes, call->audit().agent); !written)
      return call->fail(written.error());
  }
  json::object result{{"bytes", bytes->size()}, {"offset", *call->audit().journal_offset}};
  if (admitted.blocked) result["blocked"] = *admitted.blocked;
  if (pending) {
    call->audit().evidence_id = pending->id();
    result["evidence_id"] = pending->id();
    evidence.finish(std::move(*pending), {.sent = std::move(*bytes)});
  }
  call->finish(std::move(result));
}

void resize(const CallPtr& call) {
  session::Pty* pty = call->pty();
  if (pty == nullptr) return;
  if (auto done = pty->resize(size_of(*call, {})); !done) return call->fail(done.error());
  call->finish(json::object{{"cols", pty->size().cols}, {"rows", pty->size().rows}});
}

void show_screen(const CallPtr& call) {
  const session::Pty* pty = call->pty();
  if (pty == nullptr) return;
  const std::string format = wire::text(call->params(), "format").value_or("text");
  const auto above = static_cast<size_t>(wire::integer(call->params(), "scrollback").value_or(0));
  const vt::Screen& screen = pty->screen();
  json::object result{{"format", format},
                      {"cols", screen.size().columns},
                      {"rows", screen.size().rows},
                      {"cursor", json::object{{"x", screen.cursor_column()}, {"y", screen.cursor().y}}},
                      {"title", screen.titles().title},
                      {"alternate", screen.showing() == vt::Which::alternate},
                      {"offset", pty->journal().window().end}};
  if (format == "text") {
    std::string text;
    for (const std::string& row : vt::rows(screen, above)) text += row + "\n";
    result["data"] = text;
  } else if (format == "ansi") {
    const bool fit = wire::integer(call->params(), "cols") && wire::integer(call->params(), "rows");
    const pty::Size size = fit ? size_of(*call, {}) : pty->size();
    result["data"] = wire::to_utf8(pty->snapshot_for(size), wire::Rest::never_comes).text;
  } else if (format == "html") {
    result["data"] = vt::html(screen);
  } else if (format == "svg") {
    result["data"] = vt::svg(screen);
  } else if (format == "json") {
    result["data"] = vt::json(screen, above);
  } else {
    return call->fail({Code::invalid_param, 0, "format must be text, ansi, html, svg or json"});
  }
  call->finish(std::move(result));
}

void attach(const CallPtr& call) {
  session::Pty* pty = call->pty();
  const auto connection = call->connection();
  if (pty == nullptr || !connection) return;
  const auto session = call->context().sessions.find(call->audit().session);
  session::AttachOptions options{.takeover = wire::flag(call->params(), "takeover"),
                                 .lossless = wire::flag(call->params(), "lossless")};
  const std::string role = wire::text(call->params(), "role").value_or("writer");
  if (role == "observer")
    options.role = session::Role::observer;
  else if (role != "writer")
    return call->fail({Code::invalid_param, 0, "role must be writer or observer"});
  if (wire::integer(call->params(), "cols") && wire::integer(call->params(), "rows"))
    options.window = size_of(*call, {});
  options.scrollback = static_cast<size_t>(wire::integer(call->params(), "scrollback").value_or(0));
  if (const auto from = wire::integer(call->params(), "from")) options.from = static_cast<uint64_t>(*from);
  auto attached = connection->attach(**session, *pty, options);
  if (!attached) return call->fail(attached.error());
  call->audit().summary = role;
  answer_attached(call, **session, *pty, std::move(*attached), {});
}

// The answer goes out before anything that is announced to the new viewer, and the snapshot right behind it;
// so it does not wait for the audit, which gets its row all the same.
void answer_attached(const CallPtr& call, const session::Session& session, const session::Pty& pty,
                     session::Attached attached, json::object result) {
  const auto connection = call->connection();
  result["attached"] = describe(attached, session, pty);
  store::AuditEntry entry = call->audit();
  call->audit().action.clear();
  call->finish(std::move(result));
  if (connection && attached.snapshot) connection->send_bytes(*attached.snapshot);
  call->context().audit.add(std::move(entry));
}

void resync(const CallPtr& call) {
  const auto connection = call->connection();
  if (!connection) return;
  std::optional<pty::Size> window;
  if (wire::integer(call->params(), "cols") && wire::integer(call->params(), "rows"))
    window = size_of(*call, {});
  auto attached = connection->resync(window);
  if (!attached) return call->fail(attached.error());
  call->finish(json::object{{"offset", attached->offset},
                            {"snapshot_bytes", attached->snapshot->size()},
                            {"cols", attached->size.cols},
                            {"rows", attached->size.rows}});
  connection->send_bytes(*attached->snapshot);
}

void detach(const CallPtr& call) {
  const auto connection = call->connection();
  call->finish(json::object{{"detached", connection && connection->detach()}});
}

void viewer_ready(const CallPtr& call) {
  std::optional<Connection::Lent> lent;
  const auto round = wire::integer(call->params(), "round");
  const auto heard = wire::integer(call->params(), "heard");
  if (round && heard) lent = {static_cast<uint64_t>(*round), static_cast<uint64_t>(*heard)};
  if (const auto connection = call->connection())
    connection->ready(static_cast<uint64_t>(*wire::integer(call->params(), "offset")), lent);
  call->finish(nullptr);
}

void lend(const CallPtr& call) {
  const auto connection = call->connection();
  if (!connection) return;
  if (auto lent = connection->borrow(wire::texts(call->params(), "stops")); !lent)
    return call->fail(lent.error());
  call->finish(nullptr);
}

void viewer_progress(const CallPtr& call) {
  if (const auto connection = call->connection())
    connection->progress(static_cast<uint64_t>(*wire::integer(call->params(), "offset")));
  call->finish(nullptr);
}

void set_window(const CallPtr& call) {
  if (const auto connection = call->connection()) connection->set_window(size_of(*call, {}));
  call->finish(nullptr);
}

void end_input(const CallPtr& call) {
  if (const auto connection = call->connection()) connection->end_input();
  call->finish(nullptr);
}

}  // namespace host
