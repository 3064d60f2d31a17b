// SPDX-License-Identifier: Apache-2.0
// channel.*: what people ask about channels, and what channels say.
#include <array>
#include <boost/json/array.hpp>
#include <utility>

#include "daemon/connection.h"
#include "daemon/method_functions.h"
#include "store/channel_memory.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

namespace json = wire::json;
using base::Code;
using base::Result;

constexpr size_t kMostDetail = 400;
constexpr size_t kMostKey = 128;
constexpr size_t kMostValue = 512;
constexpr auto kStates = std::to_array<std::string_view>({"starting", "good", "troubled"});

// The kind of the channel that asks; nothing after the call has failed.
std::optional<std::string> asking_channel(const CallPtr& call) {
  const auto connection = call->connection();
  if (connection && connection->is_channel()) return connection->channel_kind();
  call->fail({Code::pty_access_denied, 0, "only a channel that the daemon has started may say that"});
  return {};
}

std::string text_of(const CallPtr& call, std::string_view name) {
  return wire::text(call->params(), name).value_or("");
}

json::object describe(const ChannelStatus& status) {
  return {{"kind", status.kind},
          {"state", status.state},
          {"detail", status.detail},
          {"pid", status.pid != 0 ? json::value(status.pid) : json::value(nullptr)},
          {"restarts", status.restarts}};
}

}  // namespace

json::array describe_channels(const ChannelKeeper& channels) {
  json::array list;
  for (const ChannelStatus& each : channels.list()) list.push_back(describe(each));
  return list;
}

void list_channels(const CallPtr& call) { call->finish(describe_channels(call->context().channels)); }

void reload_channels(const CallPtr& call) {
  call->context().channels.reload();
  call->finish(describe_channels(call->context().channels));
}

void test_channels(const CallPtr& call) {
  std::vector<std::string> kinds;
  if (const auto kind = wire::text(call->params(), "kind"))
    kinds.push_back(*kind);
  else
    for (const ChannelStatus& each : call->context().channels.list()) kinds.push_back(each.kind);
  if (kinds.empty()) return call->finish(json::array());
  struct Gathered {
    json::array results = {};
    size_t left = 0;
  };
  const auto gathered = std::make_shared<Gathered>();
  gathered->left = kinds.size();
  for (const std::string& kind : kinds) {
    call->context().channels.test(kind, [call, gathered, kind](const Result<std::string>& result) {
      gathered->results.push_back(
          json::object{{"kind", kind},
                       {"ok", result.has_value()},
                       {"detail", wire::cut_text(result ? *result : result.error().message(), kMostDetail)}});
      if (--gathered->left == 0) call->finish(std::move(gathered->results));
    });
  }
}

void report_channel(const CallPtr& call) {
  const auto kind = asking_channel(call);
  if (!kind) return;
  const std::string state = text_of(call, "state");
  if (std::find(kStates.begin(), kStates.end(), state) == kStates.end())
    return call->fail({Code::invalid_param, 0, "state must be starting, good or troubled"});
  const auto tell = [to = std::weak_ptr(call->connection())](std::string_view method, int64_t number) {
    if (const auto connection = to.lock())
      connection->send(wire::make_notification(method, {{"number", number}}));
  };
  call->context().channels.reported(*kind, state, wire::cut_text(text_of(call, "detail"), kMostDetail), tell);
  call->finish(nullptr);
}

void channel_tested(const CallPtr& call) {
  const auto kind = asking_channel(call);
  if (!kind) return;
  const std::string detail = text_of(call, "detail");
  call->context().channels.tested(
      *kind, wire::integer(call->params(), "number").value_or(0),
      wire::flag(call->params(), "ok") ? Result<std::string>(detail) : base::fail(Code::internal, 0, detail));
  call->finish(nullptr);
}

// Somebody who may not answer: a row that says so.
void channel_refused(const CallPtr& call) {
  if (!asking_channel(call)) return;
  call->audit().agent = wire::cut_text(text_of(call, "who"), wire::kMostAgent);
  call->audit().result = base::code_name(Code::pty_access_denied);
  call->audit().summary = wire::cut_text(text_of(call, "what"), kMostDetail);
  call->audit().count = wire::integer(call->params(), "count").value_or(1);
  call->finish(nullptr);
}

void recall_channel(const CallPtr& call) {
  const auto kind = asking_channel(call);
  if (!kind) return;
  const auto nothing = [](store::Connection&) -> Result<void> { return {}; };
  call->context().store.write_unsynced(nothing, [call, kind](const Result<void>&) {
    run_aside(call, [&store = call->context().store, kind]() -> Result<json::value> {
      auto reader = store.reader();
      if (!reader) return base::fail(reader);
      auto entries = store::recall(*reader, *kind);
      if (!entries) return base::fail(entries);
      json::array list;
      for (const store::ChannelEntry& each : *entries)
        list.push_back(json::object{{"key", each.key}, {"value", each.value}, {"prompt", each.prompt}});
      return json::object{{"entries", std::move(list)}};
    });
  });
}

void remember_for_channel(const CallPtr& call) {
  const auto kind = asking_channel(call);
  if (!kind) return;
  const store::ChannelEntry entry{.channel = *kind,
                                  .key = text_of(call, "key"),
                                  .value = text_of(call, "value"),
                                  .prompt = text_of(call, "prompt")};
  if (entry.key.empty() || entry.key.size() > kMostKey || entry.value.size() > kMostValue ||
      entry.prompt.size() > kMostKey)
    return call->fail({Code::invalid_param, 0, "a key has 1 to 128 bytes, a value 512 at most"});
  call->context().store.write_unsynced(
      [entry](store::Connection& connection) { return store::remember(connection, entry); },
      [call](const Result<void>& done) {
        if (!done) return call->fail(done.error());
        call->finish(nullptr);
      },
      kMostKey + kMostValue);
}

}  // namespace host
