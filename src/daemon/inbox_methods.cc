// SPDX-License-Identifier: Apache-2.0
// inbox.*: messages between agents. Who asks is the call's agent; the store's one thread sees to it that a
// claim has one winner.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/ids.h"
#include "base/strings.h"
#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "store/inbox.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
using store::Message;
namespace json = wire::json;

constexpr size_t kMostSubject = 1000;
constexpr size_t kMostEvidence = 64;
constexpr int64_t kUsualMessages = 100;
constexpr size_t kMostPage = 900 << 10;  // of messages in one answer
constexpr size_t kMostTexts = 900 << 10;

json::value maybe_time(const std::optional<int64_t>& at) {
  return at ? json::value(to_time(*at)) : json::value(nullptr);
}

json::object describe(const Message& message) {
  json::array evidence;
  for (const std::string& each : message.evidence) evidence.emplace_back(each);
  const bool done = message.state == "done";
  return {{"id", message.id},
          {"thread", message.thread},
          {"from", message.from},
          {"to", message.to},
          {"subject", message.subject},
          {"body", message.body},
          {"created_at", to_time(message.created_at)},
          {"state", message.state},
          {"claimed_by", message.claimed_by.empty() ? json::value(nullptr) : json::value(message.claimed_by)},
          {"claimed_at", maybe_time(message.claimed_at)},
          {"claims", message.claims},
          {"done_at", maybe_time(message.done_at)},
          {"result", done ? json::value(message.result) : json::value(nullptr)},
          {"evidence", std::move(evidence)}};
}

void publish(Context& context, std::string kind, const Message& message, std::string by = {}) {
  context.events.publish({.number = 0,
                          .at = store::wall_now(),
                          .kind = std::move(kind),
                          .message = message.id,
                          .thread = message.thread,
                          .from = message.from,
                          .to = message.to,
                          .subject = message.subject,
                          .by = std::move(by)});
}

Result<Message> message_of(const Call& call) {
  const auto text = [&](std::string_view name) { return wire::text(call.params(), name).value_or(""); };
  Message message{.id = base::new_id(),
                  .thread = text("thread"),
                  .from = call.audit().agent,
                  .to = text("to"),
                  .subject = text("subject"),
                  .body = text("body"),
                  .created_at = call.audit().at,
                  .evidence = wire::texts(call.params(), "evidence")};
  if (message.to.size() > wire::kMostAgent)
    return base::fail(Code::invalid_param, 0, "to has more than 200 bytes");
  if (message.subject.size() > kMostSubject)
    return base::fail(Code::invalid_param, 0, "the subject has more than 1000 bytes");
  if (message.body.size() > store::kMostMessageText)
    return base::fail(Code::invalid_param, 0, "the body has more than 64 KiB");
  if (message.evidence.size() > kMostEvidence)
    return base::fail(Code::invalid_param, 0, "a message takes 64 pieces of evidence at most");
  return message;
}

// Numbers of messages go out as text, as other places in lists do.
Result<int64_t> place_of(const Call& call) {
  const auto after = wire::text(call.params(), "after");
  if (!after) return 0;
  const auto number = base::parse_number<int64_t>(*after, 0, std::numeric_limits<int64_t>::max());
  if (!number) return base::fail(Code::invalid_param, 0, "after must be the 'next' of another answer");
  return *number;
}

Result<json::value> read_page(store::Connection& connection, store::MessageFilter filter) {
  auto messages = store::list_messages(connection, filter, kMostTexts);
  if (!messages) return base::fail(messages);
  json::array list;
  size_t bytes = 0;
  for (const Message& each : *messages) {
    json::object about = describe(each);
    bytes += json::serialize(about).size();
    if (bytes > kMostPage && !list.empty()) break;
    list.push_back(std::move(about));
    filter.after = each.number;
  }
  filter.limit = 1;
  auto more = store::list_messages(connection, filter, 1);
  if (!more) return base::fail(more);
  json::value next = more->empty() ? json::value(nullptr) : json::value(std::to_string(filter.after));
  return json::object{{"messages", std::move(list)}, {"next", std::move(next)}};
}

}  // namespace

void send_message(const CallPtr& call) {
  auto message = message_of(*call);
  if (!message) return call->fail(message.error());
  call->audit().command = message->subject;
  call->audit().summary = message->id;
  if (!message->evidence.empty()) call->audit().evidence_id = message->evidence[0];
  const auto sent = std::make_shared<Message>(std::move(*message));
  const auto work = [sent](store::Connection& connection) -> Result<void> {
    auto thread = store::add_message(connection, *sent);
    if (!thread) return base::fail(thread);
    sent->thread = *thread;
    return {};
  };
  call->context().store.write(
      work,
      [call, sent](const Result<void>& done) {
        if (!done) return call->fail(done.error());
        publish(call->context(), "inbox.sent", *sent);
        call->finish(json::object{{"id", sent->id}, {"thread", sent->thread}});
      },
      sent->body.size());
}

// Claims that have run out are seen as what they are: the store hears of the time first. A disk that cannot
// be written still has its messages.
void list_inbox(const CallPtr& call) {
  auto after = place_of(*call);
  if (!after) return call->fail(after.error());
  const store::MessageFilter filter{.to = wire::text(call->params(), "to"),
                                    .thread = wire::text(call->params(), "thread"),
                                    .state = wire::text(call->params(), "state"),
                                    .after = *after,
                                    .limit = wire::integer(call->params(), "limit").value_or(kUsualMessages)};
  if (filter.state && *filter.state != "open" && *filter.state != "claimed" && *filter.state != "done" &&
      *filter.state != "dead")
    return call->fail({Code::invalid_param, 0, "state must be open, claimed, done or dead"});
  const auto work = [now = call->audit().at](store::Connection& connection) {
    return store::expire_claims(connection, now);
  };
  call->context().store.write(work, [call, filter](const Result<void>&) {
    run_aside(call, [&store = call->context().store, filter]() -> Result<json::value> {
      auto reader = store.reader();
      if (!reader) return base::fail(reader);
      return read_page(*reader, filter);
    });
  });
}

void claim(const CallPtr& call) {
  store::Claim wanted{.by = call->audit().agent,
                      .id = wire::text(call->params(), "id"),
                      .to = wire::text(call->params(), "to")};
  // Whoever asks for just any message gets none that is for somebody else.
  if (!wanted.id && !wanted.to) wanted.to = wanted.by;
  const auto claimed = std::make_shared<std::optional<Message>>();
  const auto work = [wanted, claimed, now = call->audit().at](store::Connection& connection) -> Result<void> {
    auto message = store::claim_message(connection, wanted, now);
    if (!message) return base::fail(message);
    *claimed = std::move(*message);
    return {};
  };
  call->context().store.write(work, [call, claimed](const Result<void>& done) {
    if (!done) return call->fail(done.error());
    if (!*claimed) {
      // Somebody who looks again and again is not worth a row each.
      call->audit().action.clear();
      return call->finish(json::object{{"message", nullptr}});
    }
    const Message& message = **claimed;
    call->audit().command = message.subject;
    call->audit().summary = message.id;
    if (!message.evidence.empty()) call->audit().evidence_id = message.evidence[0];
    publish(call->context(), "inbox.claimed", message, message.claimed_by);
    call->finish(json::object{{"message", describe(message)}});
  });
}

void done_with(const CallPtr& call) {
  const store::Finish finish{.by = call->audit().agent,
                             .id = wire::text(call->params(), "id").value_or(""),
                             .result = wire::text(call->params(), "result").value_or("")};
  call->audit().summary = wire::cut_text(finish.id, wire::kMostAgent);
  const auto finished = std::make_shared<Message>();
  const auto work = [finish, finished,
                     now = call->audit().at](store::Connection& connection) -> Result<void> {
    auto message = store::finish_message(connection, finish, now);
    if (!message) return base::fail(message);
    *finished = std::move(*message);
    return {};
  };
  call->context().store.write(
      work,
      [call, finished, by = finish.by](const Result<void>& done) {
        if (!done) return call->fail(done.error());
        call->audit().command = finished->subject;
        if (!finished->evidence.empty()) call->audit().evidence_id = finished->evidence[0];
        publish(call->context(), "inbox.done", *finished, by);
        call->finish(json::object{{"message", describe(*finished)}});
      },
      finish.result.size());
}

}  // namespace host
