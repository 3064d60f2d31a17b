// SPDX-License-Identifier: Apache-2.0
#include "store/prompts.h"

#include <array>
#include <openssl/evp.h>
#include <utility>

#include "store/json.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

#define TEND_PROMPT_COLUMNS                                                                             \
  "id, nonce, session, name, pty, run, generation, region, type, question, choices, fallback, secret, " \
  "enter, \"limit\", confidence, excerpt, evidence, state, outcome, value, \"by\", channel, rule, "     \
  "created_at, expires_at, claimed_at, intent_at, ended_at"

PromptRecord read_prompt(const Statement& row) {
  int column = 0;
  PromptRecord prompt;
  prompt.id = row.text(column++);
  prompt.nonce = row.text(column++);
  prompt.session = row.text(column++);
  prompt.name = row.text(column++);
  prompt.pty = row.integer(column++);
  prompt.run = row.integer(column++);
  prompt.generation = row.integer(column++);
  prompt.region = row.text(column++);
  prompt.type = row.text(column++);
  prompt.question = row.text(column++);
  prompt.choices = row.text(column++);
  prompt.fallback = row.maybe_text(column++);
  prompt.secret = row.integer(column++) != 0;
  prompt.enter = row.integer(column++) != 0;
  prompt.limit = row.maybe_integer(column++);
  prompt.confidence = row.integer(column++);
  prompt.excerpt = row.text(column++);
  prompt.evidence = row.text(column++);
  prompt.state = row.text(column++);
  prompt.outcome = row.maybe_text(column++);
  prompt.value = row.maybe_text(column++);
  prompt.by = row.text(column++);
  prompt.channel = row.text(column++);
  prompt.rule = row.text(column++);
  prompt.created_at = row.integer(column++);
  prompt.expires_at = row.integer(column++);
  prompt.claimed_at = row.maybe_integer(column++);
  prompt.intent_at = row.maybe_integer(column++);
  prompt.ended_at = row.maybe_integer(column++);
  return prompt;
}

// Runs a statement that gives a row back for what it changed; whether there was one.
Result<bool> changes(Statement& statement) {
  auto row = statement.step();
  if (!row) return fail(row);
  const bool changed = *row;
  while (*row) {
    row = statement.step();
    if (!row) return fail(row);
  }
  statement.reset();
  return changed;
}

base::Error not_in_order(std::string_view id, std::string_view what) {
  return {Code::prompt_stale, 0, "the prompt " + std::string(id) + " " + std::string(what)};
}

}  // namespace

std::string region_hash(std::string_view text) {
  std::array<unsigned char, 32> hash{};
  if (EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1) return {};
  return to_hex(hash);
}

Result<void> add_prompt(Connection& connection, const PromptRecord& prompt) {
  auto insert = connection.prepare(
      "INSERT OR IGNORE INTO prompts (" TEND_PROMPT_COLUMNS
      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, "
      "?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)");
  if (!insert) return fail(insert);
  int n = 1;
  insert->bind(n++, std::string_view(prompt.id));
  insert->bind(n++, std::string_view(prompt.nonce));
  insert->bind(n++, std::string_view(prompt.session));
  insert->bind(n++, std::string_view(prompt.name));
  insert->bind(n++, prompt.pty);
  insert->bind(n++, prompt.run);
  insert->bind(n++, prompt.generation);
  insert->bind(n++, std::string_view(prompt.region));
  insert->bind(n++, std::string_view(prompt.type));
  insert->bind(n++, std::string_view(prompt.question));
  insert->bind(n++, std::string_view(prompt.choices));
  insert->bind(n++, prompt.fallback);
  insert->bind(n++, static_cast<int64_t>(prompt.secret));
  insert->bind(n++, static_cast<int64_t>(prompt.enter));
  insert->bind(n++, prompt.limit);
  insert->bind(n++, prompt.confidence);
  insert->bind(n++, std::string_view(prompt.excerpt));
  insert->bind(n++, std::string_view(prompt.evidence));
  insert->bind(n++, std::string_view(prompt.state));
  insert->bind(n++, prompt.outcome);
  if (prompt.secret)
    insert->bind_null(n++);
  else
    insert->bind(n++, prompt.value);
  insert->bind(n++, std::string_view(prompt.by));
  insert->bind(n++, std::string_view(prompt.channel));
  insert->bind(n++, std::string_view(prompt.rule));
  insert->bind(n++, prompt.created_at);
  insert->bind(n++, prompt.expires_at);
  insert->bind(n++, prompt.claimed_at);
  insert->bind(n++, prompt.intent_at);
  insert->bind(n++, prompt.ended_at);
  return insert->run();
}

Result<void> claim_prompt(Connection& connection, const PromptClaim& claim, int64_t now) {
  auto update = connection.prepare(
      "UPDATE prompts SET state = 'claimed', \"by\" = ?3, channel = ?4, claimed_at = ?5, "
      "rule = CASE WHEN ?6 = '' THEN rule ELSE ?6 END "
      "WHERE id = ?1 AND nonce = ?2 AND state = 'awaiting' AND expires_at > ?5 RETURNING 1");
  if (!update) return fail(update);
  update->bind(1, std::string_view(claim.id));
  update->bind(2, std::string_view(claim.nonce));
  update->bind(3, std::string_view(claim.by));
  update->bind(4, std::string_view(claim.channel));
  update->bind(5, now);
  update->bind(6, std::string_view(claim.rule));
  auto claimed = changes(*update);
  if (!claimed) return fail(claimed);
  if (*claimed) return {};
  auto found = load_prompt(connection, claim.id);
  if (!found) return fail(found);
  if (!*found) return fail(Code::prompt_not_found, 0, "there is no such prompt");
  if ((*found)->nonce != claim.nonce)
    return fail(Code::prompt_not_found, 0, "there is no such prompt with this nonce");
  if ((*found)->state == "awaiting") return fail(Code::prompt_stale, 0, "the prompt has expired");
  return std::unexpected(not_in_order(claim.id, "does not wait any more: it is " + (*found)->state));
}

Result<void> record_intent(Connection& connection, std::string_view id,
                           const std::optional<std::string>& value, int64_t now) {
  auto update = connection.prepare(
      "UPDATE prompts SET intent_at = ?2, value = CASE WHEN secret THEN NULL ELSE ?3 END "
      "WHERE id = ?1 AND state = 'claimed' AND intent_at IS NULL RETURNING 1");
  if (!update) return fail(update);
  update->bind(1, id);
  update->bind(2, now);
  update->bind(3, value);
  auto changed = changes(*update);
  if (!changed) return fail(changed);
  if (!*changed) return std::unexpected(not_in_order(id, "is not claimed, or is being answered"));
  return {};
}

Result<void> record_outcome(Connection& connection, std::string_view id, std::string_view outcome,
                            int64_t now) {
  auto update = connection.prepare(
      "UPDATE prompts SET state = 'answered', outcome = ?2, ended_at = ?3 "
      "WHERE id = ?1 AND state = 'claimed' AND intent_at IS NOT NULL RETURNING 1");
  if (!update) return fail(update);
  update->bind(1, id);
  update->bind(2, outcome);
  update->bind(3, now);
  auto changed = changes(*update);
  if (!changed) return fail(changed);
  if (!*changed) return std::unexpected(not_in_order(id, "has no answer on its way"));
  return {};
}

Result<void> release_prompt(Connection& connection, std::string_view id) {
  auto update = connection.prepare(
      "UPDATE prompts SET state = 'awaiting', \"by\" = '', channel = '', claimed_at = NULL, intent_at = "
      "NULL, "
      "value = NULL WHERE id = ?1 AND state = 'claimed'");
  if (!update) return fail(update);
  update->bind(1, id);
  return update->run();
}

Result<bool> end_prompt(Connection& connection, std::string_view id, const PromptEnd& end, int64_t now) {
  auto update = connection.prepare(
      "UPDATE prompts SET state = ?2, outcome = ?3, \"by\" = ?4, channel = ?5, ended_at = ?6, value = NULL "
      "WHERE id = ?1 AND ended_at IS NULL RETURNING 1");
  if (!update) return fail(update);
  update->bind(1, id);
  update->bind(2, std::string_view(end.state));
  update->bind(3, end.outcome);
  update->bind(4, std::string_view(end.by));
  update->bind(5, std::string_view(end.channel));
  update->bind(6, now);
  return changes(*update);
}

Result<void> recover_prompts(Connection& connection, int64_t now) {
  auto claimed =
      connection.number("SELECT count(*) FROM prompts WHERE state = 'claimed' AND ended_at IS NULL");
  if (!claimed) return fail(claimed);
  if (*claimed == 0) return {};
  auto lost = connection.prepare(
      "UPDATE prompts SET state = 'answered', outcome = 'unknown', ended_at = ?1 "
      "WHERE state = 'claimed' AND intent_at IS NOT NULL");
  if (!lost) return fail(lost);
  lost->bind(1, now);
  if (auto done = lost->run(); !done) return done;
  return connection.execute(
      "UPDATE prompts SET state = 'awaiting', \"by\" = '', channel = '', claimed_at = NULL "
      "WHERE state = 'claimed'");
}

Result<int64_t> prune_prompts(Connection& connection, int64_t before, int64_t most) {
  auto gone = connection.prepare(
      "DELETE FROM prompts WHERE ended_at < ?1 OR (ended_at IS NOT NULL AND number <= "
      "(SELECT number FROM prompts WHERE ended_at IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET ?2)) "
      "RETURNING 1");
  if (!gone) return fail(gone);
  gone->bind(1, before);
  gone->bind(2, most);
  int64_t count = 0;
  for (;;) {
    auto row = gone->step();
    if (!row) return fail(row);
    if (!*row) return count;
    count++;
  }
}

Result<std::vector<PromptRecord>> list_prompts(Connection& connection, const PromptFilter& filter) {
  auto select = connection.prepare("SELECT " TEND_PROMPT_COLUMNS
                                   " FROM prompts WHERE (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR "
                                   "state = ?2) AND (?3 IS NULL OR rule = ?3) AND (?4 = 2 OR (ended_at IS "
                                   "NULL) = (?4 = 0)) ORDER BY number DESC LIMIT ?5");
  if (!select) return fail(select);
  select->bind(1, filter.session);
  select->bind(2, filter.state);
  select->bind(3, filter.rule);
  select->bind(4, static_cast<int64_t>(filter.which));
  select->bind(5, filter.limit);
  std::vector<PromptRecord> prompts;
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return prompts;
    prompts.push_back(read_prompt(*select));
  }
}

Result<std::optional<PromptRecord>> load_prompt(Connection& connection, std::string_view id) {
  auto select = connection.prepare("SELECT " TEND_PROMPT_COLUMNS " FROM prompts WHERE id = ?1");
  if (!select) return fail(select);
  select->bind(1, id);
  auto row = select->step();
  if (!row) return fail(row);
  if (!*row) return std::optional<PromptRecord>();
  return std::optional(read_prompt(*select));
}

Result<int64_t> count_answers(Connection& connection, std::string_view session, std::string_view rule) {
  auto select = connection.prepare(
      "SELECT count(*) FROM prompts WHERE session = ?1 AND rule = ?2 AND state = 'answered'");
  if (!select) return fail(select);
  select->bind(1, session);
  select->bind(2, rule);
  auto row = select->step();
  if (!row) return fail(row);
  return *row ? select->integer(0) : 0;
}

#undef TEND_PROMPT_COLUMNS

}  // namespace store
