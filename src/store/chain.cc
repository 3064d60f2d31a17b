// SPDX-License-Identifier: Apache-2.0
#include "store/chain.h"

#include <algorithm>
#include <cassert>
#include <fmt/core.h>
#include <string_view>

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

void put_word(std::string& out, int64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<uint64_t>(value) >> shift & 0xff);
}

// Only somebody else can have written another, and counting on from it might overflow.
bool is_number(int64_t value) { return value >= 0 && value < INT64_MAX / 2; }

std::string signed_words(std::string_view domain, int64_t first, int64_t seq, int64_t at, const Hash& hash) {
  std::string text(domain);
  put_word(text, first);
  put_word(text, seq);
  put_word(text, at);
  text += as_blob(hash).bytes;
  return text;
}

std::optional<Signature> read_signature(const Statement& select, int column) {
  const std::string_view bytes = select.view(column);
  Signature signature{};
  if (bytes.size() != signature.size()) return {};
  std::copy(bytes.begin(), bytes.end(), signature.begin());
  return signature;
}

}  // namespace

std::string signed_text(const SignedHead& head) {
  return signed_words("tend audit head 1", head.number, head.seq, head.at, head.hash);
}

std::string signed_text(const SignedStart& start) {
  return signed_words("tend audit start 1", start.heads, start.seq, start.at, start.hash);
}

Result<ChainState> read_state(Connection& connection) {
  auto select = connection.prepare("SELECT seq, hash, heads FROM audit_state");
  if (!select) return fail(select);
  auto row = select->step();
  if (!row) return fail(row);
  const auto hash = *row ? read_hash(*select, 1) : std::nullopt;
  if (!hash || !is_number(select->integer(0)) || !is_number(select->integer(2)))
    return fail(Code::internal, 0, "the audit's own record of its end is missing");
  return ChainState{select->integer(0), *hash, select->integer(2)};
}

Result<SignedHead> read_head(const Statement& select) {
  const auto hash = read_hash(select, 3);
  const auto signature = read_signature(select, 4);
  if (!hash || !signature)
    return fail(Code::internal, 0,
                fmt::format("head {} of the audit (row {}) has no whole signature", select.integer(0),
                            select.integer(1)));
  return SignedHead{select.integer(0), select.integer(1), select.integer(2), *hash, *signature};
}

Result<std::optional<SignedHead>> read_last_head(Connection& connection) {
  auto select = connection.prepare(
      "SELECT number, seq, at, hash, signature FROM audit_heads ORDER BY number DESC LIMIT 1");
  if (!select) return fail(select);
  auto row = select->step();
  if (!row) return fail(row);
  if (!*row) return std::nullopt;
  auto head = read_head(*select);
  if (!head) return fail(head);
  return *head;
}

Result<std::optional<SignedStart>> read_start(Connection& connection) {
  auto select = connection.prepare("SELECT heads, seq, at, hash, signature FROM audit_start");
  if (!select) return fail(select);
  auto row = select->step();
  if (!row) return fail(row);
  if (!*row) return std::nullopt;
  const auto hash = read_hash(*select, 3);
  const auto signature = read_signature(*select, 4);
  if (!hash || !signature || !is_number(select->integer(1)))
    return fail(Code::internal, 0, "the audit's start has no whole signature");
  return SignedStart{select->integer(0), select->integer(1), select->integer(2), *hash, *signature};
}

Result<Chain> Chain::open(Connection& connection, const SigningKey& key, int64_t sign_rows) {
  assert(sign_rows > 0 && sign_rows <= kMostUnsigned);
  auto where = connection.prepare(
      "SELECT seq, hash, heads, (SELECT seq FROM audit_heads ORDER BY number DESC LIMIT 1), "
      "(SELECT seq FROM audit_start) FROM audit_state");
  if (!where) return fail(where);
  std::string parameters = "?1";
  for (int i = 2; i <= kAuditColumnCount; i++) parameters += fmt::format(", ?{}", i);
  auto insert =
      connection.prepare(fmt::format("INSERT INTO audit ({}) VALUES ({})", kAuditColumns, parameters));
  if (!insert) return fail(insert);
  auto head = connection.prepare(
      "INSERT INTO audit_heads (number, seq, at, hash, signature) VALUES (?1, ?2, ?3, ?4, ?5)");
  if (!head) return fail(head);
  auto update = connection.prepare("UPDATE audit_state SET seq = ?1, hash = ?2, heads = ?3");
  if (!update) return fail(update);
  return Chain(key, sign_rows, {std::move(*where), std::move(*insert), std::move(*head), std::move(*update)});
}

Result<void> Chain::load() {
  Statement& where = statements_.where;
  auto row = where.step();
  auto hash = row && *row ? read_hash(where, 1) : std::nullopt;
  if (hash && !(is_number(where.integer(0)) && is_number(where.integer(2)))) hash.reset();
  if (hash) {
    state_ = {where.integer(0), *hash, where.integer(2)};
    head_seq_ = where.integer(3);
    start_seq_ = where.integer(4);
  }
  where.reset();
  if (!row) return fail(row);
  if (!hash) return fail(Code::internal, 0, "the audit's own record of its end is missing");
  return {};
}

Result<int64_t> Chain::append(const AuditEntry& entry, int64_t now) {
  const int64_t seq = state_.seq + 1;
  const Hash hash = hasher_.hash(state_.hash, seq, entry);
  bind_row(statements_.insert, seq, entry, hash);
  if (auto done = statements_.insert.run(); !done) return fail(done);
  state_.seq = seq;
  state_.hash = hash;
  if (unsigned_rows() >= sign_rows_) {
    if (auto done = sign(now); !done) return fail(done);
  }
  return seq;
}

Result<void> Chain::sign(int64_t now) {
  if (head_seq_ == state_.seq) return {};
  const SignedHead head{state_.heads + 1, state_.seq, now, state_.hash, {}};
  auto signature = key_->sign(signed_text(head));
  if (!signature) return fail(signature);
  Statement& insert = statements_.head;
  insert.bind(1, head.number);
  insert.bind(2, head.seq);
  insert.bind(3, head.at);
  insert.bind(4, as_blob(head.hash));
  insert.bind(5, Blob{{reinterpret_cast<const char*>(signature->data()), signature->size()}});
  if (auto done = insert.run(); !done) return done;
  state_.heads = head.number;
  head_seq_ = head.seq;
  return {};
}

Result<void> Chain::save() {
  Statement& update = statements_.update;
  update.bind(1, state_.seq);
  update.bind(2, as_blob(state_.hash));
  update.bind(3, state_.heads);
  return update.run();
}

}  // namespace store
