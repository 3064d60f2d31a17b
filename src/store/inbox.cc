// SPDX-License-Identifier: Apache-2.0
#include "store/inbox.h"

#include <fmt/core.h>

#include "store/evidence.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

#define TEND_INBOX_COLUMNS                                                                            \
  "number, id, thread, sender, recipient, subject, body, created_at, state, claimed_by, claimed_at, " \
  "claims, "                                                                                          \
  "done_at, result"

Message read_message(const Statement& row) {
  return {.number = row.integer(0),
          .id = row.text(1),
          .thread = row.text(2),
          .from = row.text(3),
          .to = row.text(4),
          .subject = row.text(5),
          .body = row.text(6),
          .created_at = row.integer(7),
          .state = row.text(8),
          .claimed_by = row.text(9),
          .claimed_at = row.maybe_integer(10),
          .claims = row.integer(11),
          .done_at = row.maybe_integer(12),
          .result = row.text(13)};
}

Result<void> load_attached(Connection& connection, Message& message) {
  auto select = connection.prepare("SELECT evidence FROM inbox_evidence WHERE message = ?1 ORDER BY rowid");
  if (!select) return fail(select);
  select->bind(1, message.id);
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return {};
    message.evidence.push_back(select->text(0));
  }
}

Result<std::optional<Message>> load_one(Connection& connection, Statement& select) {
  auto row = select.step();
  if (!row) return fail(row);
  if (!*row) return std::nullopt;
  Message message = read_message(select);
  if (auto done = load_attached(connection, message); !done) return fail(done);
  return message;
}

std::unexpected<base::Error> no_message(std::string_view id) {
  return fail(Code::invalid_param, 0, fmt::format("there is no message '{}'; tend inbox lists them", id));
}

Result<void> check_new(Connection& connection, const Message& message) {
  if (message.body.size() > kMostMessageText)
    return fail(Code::invalid_param, 0, "the body has more than 64 KiB");
  auto waiting = connection.number("SELECT count(*) FROM inbox WHERE state IN ('open', 'claimed')");
  if (!waiting) return fail(waiting);
  if (*waiting >= kMostWaiting)
    return fail(Code::invalid_param, 0,
                fmt::format("the inbox is full: {} messages wait to be done", *waiting));
  return {};
}

// The id of the first message, whichever of the thread's was named.
Result<std::string> thread_of(Connection& connection, const Message& message) {
  if (message.thread.empty()) return message.id;
  auto select = connection.prepare("SELECT thread FROM inbox WHERE id = ?1");
  if (!select) return fail(select);
  select->bind(1, message.thread);
  auto row = select->step();
  if (!row) return fail(row);
  if (!*row) return fail(Code::invalid_param, 0, fmt::format("there is no thread '{}'", message.thread));
  return select->text(0);
}

Result<void> set_claimed(Connection& connection, Message& message, const std::string& by, int64_t now) {
  auto update = connection.prepare(
      "UPDATE inbox SET state = 'claimed', claimed_by = ?2, claimed_at = ?3, claims = claims + 1 "
      "WHERE number = ?1 AND state = 'open'");
  if (!update) return fail(update);
  update->bind(1, message.number);
  update->bind(2, by);
  update->bind(3, now);
  message.state = "claimed";
  message.claimed_by = by;
  message.claimed_at = now;
  message.claims++;
  return update->run();
}

Result<void> check_finish(const Message& message, const Finish& finish) {
  const auto refuse = [&](std::string_view why) {
    return fail(Code::invalid_param, 0, fmt::format("message '{}' {}", message.id, why));
  };
  if (finish.result.size() > kMostMessageText)
    return fail(Code::invalid_param, 0, "the result has more than 64 KiB");
  if (message.state == "done") return refuse("is done already");
  if (message.state == "dead") return refuse("is dead: it was claimed 5 times and never done");
  if (message.state == "claimed" && message.claimed_by != finish.by)
    return refuse(fmt::format("is claimed by {}", message.claimed_by));
  return {};
}

}  // namespace

Result<std::string> add_message(Connection& connection, const Message& message) {
  if (auto good = check_new(connection, message); !good) return fail(good);
  auto thread = thread_of(connection, message);
  if (!thread) return thread;
  auto insert = connection.prepare(
      "INSERT INTO inbox (id, thread, sender, recipient, subject, body, created_at, state, claimed_by, "
      "claims, result) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', '', 0, '')");
  if (!insert) return fail(insert);
  insert->bind(1, message.id);
  insert->bind(2, *thread);
  insert->bind(3, message.from);
  insert->bind(4, message.to);
  insert->bind(5, message.subject);
  insert->bind(6, message.body);
  insert->bind(7, message.created_at);
  if (auto done = insert->run(); !done) return fail(done);
  for (const std::string& each : message.evidence) {
    if (auto done = attach_evidence(connection, message.id, each); !done) return fail(done);
  }
  return thread;
}

Result<void> attach_evidence(Connection& connection, std::string_view message, std::string_view evidence) {
  auto there = has_evidence(connection, evidence);
  if (!there) return fail(there);
  if (!*there)
    return fail(Code::invalid_param, 0,
                fmt::format("there is no evidence '{}'; tend evidence lists it", evidence));
  auto insert =
      connection.prepare("INSERT OR IGNORE INTO inbox_evidence (message, evidence) VALUES (?1, ?2)");
  if (!insert) return fail(insert);
  insert->bind(1, message);
  insert->bind(2, evidence);
  return insert->run();
}

Result<void> expire_claims(Connection& connection, int64_t now) {
  auto update = connection.prepare(
      "UPDATE inbox SET state = CASE WHEN claims >= ?2 THEN 'dead' ELSE 'open' END "
      "WHERE state = 'claimed' AND claimed_at <= ?1");
  if (!update) return fail(update);
  update->bind(1, now - kClaimLasts);
  update->bind(2, kMostClaims);
  return update->run();
}

Result<std::optional<Message>> claim_message(Connection& connection, const Claim& claim, int64_t now) {
  if (auto done = expire_claims(connection, now); !done) return fail(done);
  if (claim.id) {
    auto there = load_message(connection, *claim.id);
    if (!there) return there;
    if (!*there) return no_message(*claim.id);
  }
  auto select = connection.prepare("SELECT " TEND_INBOX_COLUMNS
                                   " FROM inbox WHERE state = 'open' AND (?1 IS NULL OR id = ?1) "
                                   "AND (?2 IS NULL OR recipient IN ('', ?2)) ORDER BY number LIMIT 1");
  if (!select) return fail(select);
  select->bind(1, claim.id);
  select->bind(2, claim.to);
  auto message = load_one(connection, *select);
  if (!message || !*message) return message;
  select->reset();
  if (auto done = set_claimed(connection, **message, claim.by, now); !done) return fail(done);
  return message;
}

Result<Message> finish_message(Connection& connection, const Finish& finish, int64_t now) {
  if (auto done = expire_claims(connection, now); !done) return fail(done);
  auto message = load_message(connection, finish.id);
  if (!message) return fail(message);
  if (!*message) return no_message(finish.id);
  if (auto good = check_finish(**message, finish); !good) return fail(good);
  auto update = connection.prepare(
      "UPDATE inbox SET state = 'done', done_at = ?2, result = ?3, claimed_by = ?4 WHERE number = ?1");
  if (!update) return fail(update);
  update->bind(1, (*message)->number);
  update->bind(2, now);
  update->bind(3, finish.result);
  update->bind(4, finish.by);
  if (auto done = update->run(); !done) return fail(done);
  (*message)->state = "done";
  (*message)->done_at = now;
  (*message)->result = finish.result;
  (*message)->claimed_by = finish.by;
  return **message;
}

Result<std::vector<Message>> list_messages(Connection& connection, const MessageFilter& filter,
                                           size_t most_bytes) {
  auto select = connection.prepare(
      "SELECT " TEND_INBOX_COLUMNS
      " FROM inbox WHERE number > ?1 AND (?2 IS NULL OR recipient IN ('', ?2)) "
      "AND (?3 IS NULL OR thread = ?3) AND (?4 IS NULL OR state = ?4) ORDER BY number LIMIT ?5");
  if (!select) return fail(select);
  select->bind(1, filter.after);
  select->bind(2, filter.to);
  select->bind(3, filter.thread);
  select->bind(4, filter.state);
  select->bind(5, filter.limit);
  std::vector<Message> messages;
  size_t bytes = 0;
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return messages;
    Message message = read_message(*select);
    bytes += message.body.size() + message.result.size() + message.subject.size();
    if (bytes > most_bytes && !messages.empty()) return messages;
    if (auto done = load_attached(connection, message); !done) return fail(done);
    messages.push_back(std::move(message));
  }
}

Result<std::optional<Message>> load_message(Connection& connection, std::string_view id) {
  auto select = connection.prepare("SELECT " TEND_INBOX_COLUMNS " FROM inbox WHERE id = ?1");
  if (!select) return fail(select);
  select->bind(1, id);
  return load_one(connection, *select);
}

#undef TEND_INBOX_COLUMNS

}  // namespace store
