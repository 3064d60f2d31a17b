// SPDX-License-Identifier: Apache-2.0
#include <boost/json/parse.hpp>
#include <charconv>
#include <unistd.h>
#include <utility>

#include "daemon/connection.h"
#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "store/audit_read.h"
#include "store/verify.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
namespace json = wire::json;

constexpr int64_t kUsualRows = 100;
constexpr size_t kMostPage = 900 << 10;  // of audit rows in one answer

std::string hex(std::span<const unsigned char> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<store::Hash> from_hex(std::string_view text) {
  store::Hash hash{};
  if (text.size() != hash.size() * 2) return {};
  for (size_t i = 0; i < hash.size(); i++) {
    unsigned value = 0;
    const auto [end, wrong] = std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, value, 16);
    if (wrong != std::errc() || end != text.data() + 2 * i + 2) return {};
    hash[i] = static_cast<unsigned char>(value);
  }
  return hash;
}

store::AuditFilter filter_of(const Call& call) {
  store::AuditFilter filter{.session = wire::text(call.params(), "session"),
                            .action = wire::text(call.params(), "action"),
                            .agent = wire::text(call.params(), "agent"),
                            .since = {},
                            .until = {},
                            .after_seq = wire::integer(call.params(), "after"),
                            .limit = wire::integer(call.params(), "limit").value_or(kUsualRows)};
  if (wire::flag(call.params(), "newest_first")) filter.order = store::AuditFilter::Order::newest_first;
  return filter;
}

Result<json::value> read_page(store::Connection& connection, const store::AuditFilter& filter) {
  json::array rows;
  size_t bytes = 0;
  auto read = store::read_audit(connection, filter, [&](const store::AuditRow& row) {
    const std::string text = store::audit_json(row);
    bytes += text.size();
    if (bytes > kMostPage && !rows.empty()) return store::Next::stop;
    rows.push_back(json::parse(text));
    return store::Next::more;
  });
  if (!read) return base::fail(read);
  return rows;
}

}  // namespace

void run_aside(const CallPtr& call, std::function<Result<json::value>()> work) {
  call->context().worker.run([call = CallPtr(call), work = std::move(work)]() mutable {
    auto result = work();
    // The call belongs to the loop: it goes back there, with its last hold.
    event::Loop& loop = call->context().loop;
    loop.post([call = std::move(call), result = std::move(result)]() mutable {
      if (!result) return call->fail(result.error());
      call->finish(std::move(*result));
    });
  });
}

void daemon_status(const CallPtr& call) {
  const Context& context = call->context();
  json::array degraded;
  for (const std::string& each : context.degraded()) degraded.emplace_back(each);
  const auto uptime =
      std::chrono::duration_cast<std::chrono::seconds>(base::RealClock().now() - context.started);
  call->finish(json::object{{"pid", ::getpid()},
                            {"version", TEND_VERSION},
                            {"uptime_s", uptime.count()},
                            {"sessions", context.sessions.living()},
                            {"clients", context.clients()},
                            {"channels", describe_channels(context.channels)},
                            {"web", context.web != nullptr ? context.web->status() : json::value(nullptr)},
                            {"degraded", std::move(degraded)}});
}

// Sessions stay with their keepers, unless they are to end too.
void shut_down(const CallPtr& call) {
  const Context& context = call->context();
  std::vector<session::Session*> living;
  if (wire::flag(call->params(), "kill")) living = context.sessions.kept();
  const auto left = std::make_shared<size_t>(living.size());
  call->then(context.shut_down);
  const auto finish = [call] { call->finish(json::object{{"pid", ::getpid()}}); };
  if (living.empty()) return finish();
  const auto gone = [left, finish](const Result<uint32_t>&) {
    if (--*left == 0) finish();
  };
  // One that has ended may have its keeper still, until the store knows how, or what was left has gone.
  for (session::Session* each : living) {
    if (each->ended())
      each->dismiss_keeper(gone);
    else
      each->kill(std::chrono::seconds(5), gone);
  }
}

void subscribe(const CallPtr& call) {
  const auto connection = call->connection();
  if (!connection) return;
  const session::Events& events = call->context().events;
  const auto asked = wire::integer(call->params(), "after");
  const auto begin = events.begin_after(asked ? std::optional(static_cast<uint64_t>(*asked)) : std::nullopt);
  call->finish(json::object{{"after", begin.after},
                            {"missed", begin.missed},
                            {"replaced", begin.replaced},
                            {"epoch", events.epoch()}});
  connection->follow(begin.after);
}

// What has been done so far is in it: what is still gathered goes to the store, and all of it to the disk.
void show_audit(const CallPtr& call) {
  auto filter = filter_of(*call);
  if (filter.session) {
    if (const auto found = call->context().sessions.find(*filter.session)) filter.session = (*found)->id();
  }
  call->context().audit.flush();
  const auto nothing = [](store::Connection&) -> Result<void> { return {}; };
  // A disk that cannot be written has its rows still: they are shown, whatever comes of the newest.
  call->context().store.write(nothing, [call, filter](const Result<void>&) {
    auto reader = call->context().store.reader();
    if (!reader) return call->fail(reader.error());
    auto connection = std::make_shared<store::Connection>(std::move(*reader));
    run_aside(call, [filter, connection = std::move(connection)] { return read_page(*connection, filter); });
  });
}

void verify_audit(const CallPtr& call) {
  store::VerifyOptions options;
  if (const auto seq = wire::integer(call->params(), "anchor_seq")) {
    const auto hash = from_hex(wire::text(call->params(), "anchor_hash").value_or(""));
    if (!hash) return call->fail({Code::invalid_param, 0, "anchor_hash must be 64 hexadecimal digits"});
    options.anchor = store::Anchor{*seq, *hash};
  }
  auto key = store::load_public_key(call->context().key_path + ".pub");
  if (!key) return call->fail(key.error());
  // What has been done so far is in it.
  call->context().audit.flush();
  call->context().store.head([call, options, key = *key](const Result<store::AuditHead>&) {
    run_aside(call, [path = call->context().store_path, options, key]() -> Result<json::value> {
      auto report = store::verify_audit(path, key, options);
      if (!report) return base::fail(report);
      return json::object{{"ok", report->ok},
                          {"rows", report->rows},
                          {"first_seq", report->first_seq},
                          {"last_seq", report->last_seq},
                          {"signed_up_to", report->signed_up_to},
                          {"bad_seq", report->bad_seq ? json::value(*report->bad_seq) : json::value(nullptr)},
                          {"problem", report->problem}};
    });
  });
}

void audit_head(const CallPtr& call) {
  call->context().audit.flush();
  call->context().store.head([call](const Result<store::AuditHead>& head) {
    if (!head) return call->fail(head.error());
    call->finish(json::object{{"seq", head->head.seq},
                              {"hash", hex(head->head.hash)},
                              {"at", to_time(head->head.at)},
                              {"signature", hex(head->head.signature)},
                              {"public_key", hex(head->public_key)}});
  });
}

}  // namespace host
