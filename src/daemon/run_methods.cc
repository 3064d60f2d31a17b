// SPDX-License-Identifier: Apache-2.0
// pty.run: a command in a shell or REPL, and exactly its output.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/ids.h"
#include "base/strings.h"
#include "daemon/connection.h"
#include "daemon/evidence_keeper.h"
#include "daemon/method_functions.h"
#include "exec/typed.h"
#include "session/runs.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
using std::chrono::milliseconds;
namespace json = wire::json;

constexpr int64_t kUsualTimeoutMs = 30'000;
constexpr size_t kUsualBytes = 1 << 20;
constexpr size_t kMostRunId = 64;
constexpr size_t kEnvelope = 4096;  // of an answer, without the output
constexpr base::Duration kProgress = std::chrono::seconds(1);
constexpr size_t kMostLine = 200;

enum class Encoding { text, base64, bytes };

std::optional<Encoding> encoding_named(std::string_view name) {
  if (name == "text") return Encoding::text;
  if (name == "base64") return Encoding::base64;
  if (name == "bytes") return Encoding::bytes;
  return {};
}

bool is_run_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostRunId && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// As JSON can carry it: the newest that fits into a message.
struct Carried {
  std::string text;
  bool cut = false;
};

Carried carry(std::string_view output, Encoding encoding) {
  for (Carried carried;; output.remove_prefix(output.size() - output.size() * 3 / 4), carried.cut = true) {
    carried.text = encoding == Encoding::base64 ? wire::to_base64(output)
                                                : wire::to_utf8(output, wire::Rest::never_comes).text;
    if (carried.text.size() <= wire::kMostPayload - kEnvelope &&
        json::serialize(json::value(carried.text)).size() <= wire::kMostPayload - kEnvelope)
      return carried;
  }
}

// One call of pty.run. It lives until its run has ended, or the connection has gone.
class RunCall : public std::enable_shared_from_this<RunCall> {
 public:
  RunCall(CallPtr call, std::string id, Encoding encoding)
      : call_(std::move(call)),
        id_(std::move(id)),
        encoding_(encoding),
        begun_(clock_.now()),
        progress_(call_->context().loop, [this] { tell_progress(); }) {}

  void start(const session::Session& session, session::Pty& pty, session::RunRequest request) {
    const auto self = shared_from_this();
    evidence_ = call_->context().evidence.begin(*call_, session, pty);
    number_ = pty.number();
    request.id = id_;
    request.on_output = [self](std::string_view fresh) { self->output(fresh); };
    request.on_end = [self](const session::RunReport& report) { self->end(report); };
    if (const auto asker = call_->asker())
      closed_ = asker->closed_listeners().add([weak = weak_from_this()] {
        if (const auto kept = weak.lock()) kept->give_up();
      });
    if (wire::flag(call_->params(), "progress")) progress_.set_after(kProgress);
    if (auto added = pty.runs().add(std::move(request)); !added) {
      closed_.reset();
      call_->fail(added.error());
    }
  }

 private:
  // What a reader takes at once is on its way before the command has ended; the rest follows then.
  void output(std::string_view fresh) {
    count_ += fresh.size();
    if (const size_t newline = fresh.rfind('\n'); newline != std::string_view::npos) {
      const std::string_view before = fresh.substr(0, newline);
      line_ = std::string(before.substr(before.rfind('\n') + 1).substr(0, kMostLine));
    }
    const auto connection = call_->connection();
    if (encoding_ != Encoding::bytes || !connection || behind_) return;
    if (connection->waiting_output() > wire::kMostPayload) {
      behind_ = true;
      return;
    }
    connection->send_bytes(fresh);
    sent_ += fresh.size();
  }

  void end(const session::RunReport& report) {
    closed_.reset();
    progress_.cancel();
    json::object result{{"run", id_},
                        {"output_bytes", report.output_bytes},
                        {"shell", report.program},
                        {"duration_ms", milliseconds_since(begun_)},
                        {"offset", report.begin},
                        {"next_offset", report.end}};
    add_output(report, result);
    if (report.typed) keep_evidence(report, result);
    if (report.typed) call_->audit().journal_offset = static_cast<int64_t>(report.begin);
    if (report.error) {
      result["typed"] = report.typed;
      result["exit_code"] = report.exit_code ? json::value(*report.exit_code) : json::value(nullptr);
      return call_->fail(*report.error, std::move(result));
    }
    result["exit_code"] = report.exit_code ? json::value(*report.exit_code) : json::value(nullptr);
    call_->audit().summary = report.exit_code ? fmt::format("exit {}", *report.exit_code) : report.program;
    call_->finish(std::move(result));
  }

  void add_output(const session::RunReport& report, json::object& result) {
    if (encoding_ != Encoding::bytes) {
      const Carried carried = carry(report.output, encoding_);
      result["output"] = carried.text;
      result["truncated"] = report.truncated || carried.cut;
      return;
    }
    // The part of what is left that is still there.
    const uint64_t missing = report.output_bytes - sent_;
    const size_t kept = std::min<uint64_t>(missing, report.output.size());
    if (const auto connection = call_->connection())
      connection->send_bytes(report.output.substr(report.output.size() - kept));
    result["output"] = nullptr;
    result["truncated"] = kept < missing;
  }

  // What was never typed has done nothing.
  void keep_evidence(const session::RunReport& report, json::object& result) {
    if (!evidence_) return;
    call_->audit().evidence_id = evidence_->id();
    result["evidence_id"] = evidence_->id();
    call_->context().evidence.finish(
        std::move(*evidence_),
        {.sent = std::string(report.sent),
         .output = std::string(report.output.substr(
             report.output.size() - std::min(report.output.size(), EvidenceKeeper::kMostOutput))),
         .exit_code = report.exit_code ? std::optional<int64_t>(*report.exit_code) : std::nullopt,
         .after = EvidenceKeeper::After::now});
    evidence_.reset();
  }

  void give_up() {
    progress_.cancel();
    const auto session = call_->context().sessions.find(call_->audit().session);
    session::Pty* pty = session ? (*session)->pty(number_) : nullptr;
    if (pty != nullptr) pty->runs().cancel(id_, session::Runs::Running::leave);
  }

  void tell_progress() {
    if (const auto connection = call_->connection())
      connection->send(wire::make_notification(
          "run.progress", {{"run", id_},
                           {"bytes", count_},
                           {"elapsed_ms", milliseconds_since(begun_)},
                           {"line", wire::to_utf8(line_, wire::Rest::never_comes).text}}));
    progress_.set_after(kProgress);
  }

  int64_t milliseconds_since(base::Moment then) const {
    return std::chrono::duration_cast<milliseconds>(clock_.now() - then).count();
  }

  CallPtr call_;
  std::string id_;
  Encoding encoding_;
  base::RealClock clock_;
  base::Moment begun_;
  event::Timer progress_;
  uint32_t number_ = 0;
  uint64_t count_ = 0;
  uint64_t sent_ = 0;
  bool behind_ = false;
  std::string line_;
  session::Listeners::Handle closed_;
  std::optional<EvidenceKeeper::Pending> evidence_;
};

}  // namespace

void run_command(const CallPtr& call) {
  const auto encoding = encoding_named(wire::text(call->params(), "encoding").value_or("text"));
  if (!encoding) return call->fail({Code::invalid_param, 0, "encoding must be text, base64 or bytes"});
  const std::string id = wire::text(call->params(), "run").value_or(base::new_id());
  if (!is_run_id(id))
    return call->fail({Code::invalid_param, 0, "run must be 1 to 64 letters, digits, '_' and '-'"});
  const std::string sentinel = wire::text(call->params(), "sentinel").value_or(exec::new_sentinel());
  if (auto good = exec::check_sentinel(sentinel); !good) return call->fail(good.error());
  session::Pty* pty = call->pty();
  if (pty == nullptr) return;
  const std::string command = wire::text(call->params(), "command").value_or("");
  call->audit().command = command;
  if (pty->state() != session::PtyState::running)
    return call->fail({Code::pty_process_exited, 0, "the program has ended"});
  session::RunRequest request{
      .id = id,
      .command = command,
      .sentinel = sentinel,
      .timeout = milliseconds(wire::integer(call->params(), "timeout_ms").value_or(kUsualTimeoutMs)),
      .keep = wire::flag(call->params(), "raw") ? exec::Keep::everything : exec::Keep::text,
      .most = static_cast<size_t>(wire::integer(call->params(), "max_bytes").value_or(kUsualBytes)),
      .interrupt = wire::flag(call->params(), "interrupt")};
  const auto session = call->context().sessions.find(call->audit().session);
  if (*encoding == Encoding::bytes && !call->connection())
    return call->fail({Code::invalid_param, 0, "encoding must be text or base64"});
  if (const auto asker = call->asker()) {
    if (auto good = asker->admit_whole(**session, *pty, command + "\r"); !good)
      return call->fail(good.error());
  }
  std::make_shared<RunCall>(call, id, *encoding)->start(**session, *pty, std::move(request));
}

void cancel_run(const CallPtr& call) {
  const std::string id = wire::text(call->params(), "run").value_or("");
  for (const session::Session* each : call->context().sessions.kept()) {
    for (const auto& [number, pty] : each->ptys()) {
      if (!pty->runs().cancel(id, session::Runs::Running::interrupt)) continue;
      call->audit().session = each->id();
      call->audit().pty = number;
      call->audit().summary = id;
      return call->finish(json::object{{"run", id}});
    }
  }
  call->fail({Code::invalid_param, 0,
              fmt::format("no command is being run under the name '{}'", base::printable(id, kMostRunId))});
}

}  // namespace host
