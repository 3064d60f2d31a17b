// SPDX-License-Identifier: Apache-2.0
#include "store/evidence.h"

#include <openssl/evp.h>

#include "store/audit.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

#define TEND_EVIDENCE_HEAD                                                                                \
  "number, id, at, session, name, pty, agent, channel, action, note, secret, exit_code, cwd, diff_note, " \
  "truncated, complete"
constexpr int kHeadColumns = 16;

EvidenceHead head_of(const Statement& row) {
  return {.number = row.integer(0),
          .id = row.text(1),
          .at = row.integer(2),
          .session = row.text(3),
          .name = row.text(4),
          .pty = row.integer(5),
          .agent = row.text(6),
          .channel = row.text(7),
          .action = row.text(8),
          .note = row.text(9),
          .secret = row.integer(10) != 0,
          .exit_code = row.maybe_integer(11),
          .cwd = row.text(12),
          .diff_note = row.text(13),
          .truncated = row.integer(14) != 0,
          .complete = row.integer(15) != 0};
}

Result<Hash> hash_of(std::string_view bytes) {
  Hash hash{};
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1)
    return fail(Code::internal, 0, "cannot hash a piece of evidence");
  return hash;
}

// Its hash is its name; the time says until when somebody needs it.
Result<Hash> save_text(Connection& connection, std::string_view bytes, int64_t at) {
  auto hash = hash_of(bytes);
  if (!hash) return hash;
  auto insert = connection.prepare(
      "INSERT INTO evidence_texts (hash, at, bytes) VALUES (?1, ?2, ?3) "
      "ON CONFLICT (hash) DO UPDATE SET at = max(at, excluded.at)");
  if (!insert) return fail(insert);
  insert->bind(1, as_blob(*hash));
  insert->bind(2, at);
  insert->bind(3, Blob{bytes});
  if (auto done = insert->run(); !done) return fail(done);
  return hash;
}

struct SavedTexts {
  std::optional<Hash> before;
  std::optional<Hash> after;
  std::optional<Hash> diff;
};

Result<SavedTexts> save_texts(Connection& connection, const EvidencePack& pack) {
  SavedTexts saved;
  const auto save = [&](std::string_view bytes, std::optional<Hash>& into) -> Result<void> {
    auto hash = save_text(connection, bytes, pack.at);
    if (!hash) return fail(hash);
    into = *hash;
    return {};
  };
  Result<void> done;
  if (pack.before) done = save(pack.before->bytes, saved.before);
  if (done && pack.after) done = save(pack.after->bytes, saved.after);
  if (done && !pack.diff.empty()) done = save(pack.diff, saved.diff);
  if (!done) return fail(done);
  return saved;
}

void bind_hash(Statement& insert, int parameter, const std::optional<Hash>& hash) {
  if (hash)
    insert.bind(parameter, as_blob(*hash));
  else
    insert.bind_null(parameter);
}

void bind_shot(Statement& insert, int parameter, const std::optional<ScreenShot>& shot) {
  insert.bind(parameter, shot ? shot->cols : 0);
  insert.bind(parameter + 1, shot ? shot->rows : 0);
}

std::optional<ScreenShot> read_shot(const Statement& row, int column) {
  if (row.is_null(column)) return {};
  return ScreenShot{row.text(column), row.integer(column + 1), row.integer(column + 2)};
}

}  // namespace

Result<void> save_evidence(Connection& connection, const EvidencePack& pack) {
  auto texts = save_texts(connection, pack);
  if (!texts) return fail(texts);
  auto insert = connection.prepare(
      "INSERT INTO evidence (id, at, session, name, pty, agent, channel, action, note, secret, exit_code, "
      "cwd, "
      "diff_note, truncated, complete, sent, screen_before, before_cols, before_rows, screen_after, "
      "after_cols, after_rows, output, output_cut, diff_stat, diff) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, "
      "?21, ?22, ?23, ?24, ?25, ?26) ON CONFLICT (id) DO UPDATE SET note = excluded.note, "
      "secret = excluded.secret, exit_code = excluded.exit_code, cwd = excluded.cwd, "
      "diff_note = excluded.diff_note, truncated = excluded.truncated, complete = excluded.complete, "
      "sent = excluded.sent, screen_after = excluded.screen_after, after_cols = excluded.after_cols, "
      "after_rows = excluded.after_rows, output = excluded.output, output_cut = excluded.output_cut, "
      "diff_stat = excluded.diff_stat, diff = excluded.diff");
  if (!insert) return fail(insert);
  const auto blob = [&](int parameter, const std::optional<std::string>& bytes) {
    if (bytes)
      insert->bind(parameter, Blob{*bytes});
    else
      insert->bind_null(parameter);
  };
  insert->bind(1, pack.id);
  insert->bind(2, pack.at);
  insert->bind(3, pack.session);
  insert->bind(4, pack.name);
  insert->bind(5, pack.pty);
  insert->bind(6, pack.agent);
  insert->bind(7, pack.channel);
  insert->bind(8, pack.action);
  insert->bind(9, pack.note);
  insert->bind(10, static_cast<int64_t>(pack.secret));
  insert->bind(11, pack.exit_code);
  insert->bind(12, pack.cwd);
  insert->bind(13, pack.diff_note);
  insert->bind(14, static_cast<int64_t>(pack.truncated));
  insert->bind(15, static_cast<int64_t>(pack.complete));
  // Whatever the caller has: a secret does not get into the file.
  if (pack.secret && pack.sent)
    insert->bind(16, Blob{"secret"});
  else
    blob(16, pack.sent);
  bind_hash(*insert, 17, texts->before);
  bind_shot(*insert, 18, pack.before);
  bind_hash(*insert, 20, texts->after);
  bind_shot(*insert, 21, pack.after);
  blob(23, pack.output);
  insert->bind(24, static_cast<int64_t>(pack.output_cut));
  insert->bind(25, Blob{pack.diff_stat});
  bind_hash(*insert, 26, texts->diff);
  return insert->run();
}

Result<std::optional<EvidencePack>> load_evidence(Connection& connection, std::string_view id) {
  auto select = connection.prepare(
      "SELECT " TEND_EVIDENCE_HEAD
      ", sent, (SELECT bytes FROM evidence_texts WHERE hash = screen_before), before_cols, before_rows, "
      "(SELECT bytes FROM evidence_texts WHERE hash = screen_after), after_cols, after_rows, output, "
      "output_cut, diff_stat, (SELECT bytes FROM evidence_texts WHERE hash = diff) "
      "FROM evidence WHERE id = ?1");
  if (!select) return fail(select);
  select->bind(1, id);
  auto row = select->step();
  if (!row) return fail(row);
  if (!*row) return std::nullopt;
  EvidencePack pack;
  static_cast<EvidenceHead&>(pack) = head_of(*select);
  constexpr int k = kHeadColumns;
  pack.sent = select->maybe_text(k);
  pack.before = read_shot(*select, k + 1);
  pack.after = read_shot(*select, k + 4);
  pack.output = select->maybe_text(k + 7);
  pack.output_cut = select->integer(k + 8) != 0;
  pack.diff_stat = select->text(k + 9);
  pack.diff = select->text(k + 10);
  return pack;
}

Result<bool> has_evidence(Connection& connection, std::string_view id) {
  auto select = connection.prepare("SELECT 1 FROM evidence WHERE id = ?1");
  if (!select) return fail(select);
  select->bind(1, id);
  return select->step();
}

Result<std::vector<EvidenceHead>> list_evidence(Connection& connection, const EvidenceFilter& filter) {
  auto select = connection.prepare(
      "SELECT " TEND_EVIDENCE_HEAD
      " FROM evidence WHERE (?1 IS NULL OR session = ?1 OR name = ?1) AND (?2 IS NULL OR number < ?2) "
      "ORDER BY number DESC LIMIT ?3");
  if (!select) return fail(select);
  select->bind(1, filter.session);
  select->bind(2, filter.before);
  select->bind(3, filter.limit);
  std::vector<EvidenceHead> heads;
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return heads;
    heads.push_back(head_of(*select));
  }
}

Result<int64_t> remove_evidence(Connection& connection, int64_t before, int64_t most) {
  auto remove = connection.prepare(
      "DELETE FROM evidence WHERE number IN (SELECT number FROM evidence WHERE at < ?1 ORDER BY at LIMIT "
      "?2)");
  if (!remove) return fail(remove);
  remove->bind(1, before);
  remove->bind(2, most);
  if (auto done = remove->run(); !done) return fail(done);
  auto count = connection.number("SELECT changes()");
  if (!count) return count;
  // Texts are at least as young as the youngest pack that has them.
  auto texts = connection.prepare(
      "DELETE FROM evidence_texts WHERE at < (SELECT coalesce(min(at), ?1) FROM evidence WHERE at < ?1)");
  if (!texts) return fail(texts);
  texts->bind(1, before);
  if (auto done = texts->run(); !done) return fail(done);
  return count;
}

#undef TEND_EVIDENCE_HEAD

}  // namespace store
