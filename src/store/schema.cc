// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <fmt/core.h>
#include <iterator>
#include <unistd.h>

#include "base/fd.h"
#include "store/chain.h"
#include "store/private_file.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr int64_t kApplication = 0x74656e64;  // "tend"

// Steps are never changed once they have shipped; new ones are added at the end.
constexpr const char* kSteps[] = {
    // 1: sessions, PTYs, the audit
    R"(
PRAGMA application_id = 1952804452;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, cwd TEXT NOT NULL, owner TEXT NOT NULL, settings TEXT NOT NULL,
  created_at INTEGER NOT NULL, ended_at INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE labels (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (session, name)) STRICT, WITHOUT ROWID;

-- command: its words, each with a zero byte behind it.
CREATE TABLE ptys (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, number INTEGER NOT NULL, command BLOB NOT NULL,
  cwd TEXT NOT NULL, cols INTEGER NOT NULL, rows INTEGER NOT NULL, started_at INTEGER NOT NULL,
  restarts INTEGER NOT NULL, exit_code INTEGER, signal INTEGER, exited_at INTEGER,
  PRIMARY KEY (session, number)) STRICT, WITHOUT ROWID;

-- Columns in the order of the row's encoding (audit.h).
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, session TEXT NOT NULL, pty INTEGER, action TEXT NOT NULL,
  agent TEXT NOT NULL, channel TEXT NOT NULL, command TEXT, bytes BLOB, secret INTEGER NOT NULL,
  count INTEGER NOT NULL, until INTEGER, prompt_id TEXT, screen_hash TEXT, journal_offset INTEGER,
  result TEXT NOT NULL, summary TEXT NOT NULL, evidence_id TEXT, hash BLOB NOT NULL) STRICT;
CREATE INDEX audit_by_session ON audit (session);

-- One row: where the chain ends, and how many heads there are.
CREATE TABLE audit_state (
  only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL, hash BLOB NOT NULL,
  heads INTEGER NOT NULL) STRICT;
INSERT INTO audit_state VALUES (1, 0, zeroblob(32), 0);

CREATE TABLE audit_heads (
  number INTEGER PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL, hash BLOB NOT NULL,
  signature BLOB NOT NULL) STRICT;

-- At most one row: up to where rows and heads were archived.
CREATE TABLE audit_start (
  only INTEGER PRIMARY KEY CHECK (only = 1), heads INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  hash BLOB NOT NULL, signature BLOB NOT NULL) STRICT;
)",
    // 2: the inbox, evidence
    R"(
CREATE TABLE inbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, thread TEXT NOT NULL, sender TEXT NOT NULL,
  recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'done', 'dead')), claimed_by TEXT NOT NULL,
  claimed_at INTEGER, claims INTEGER NOT NULL, done_at INTEGER, result TEXT NOT NULL) STRICT;
CREATE INDEX inbox_by_state ON inbox (state, number);
CREATE INDEX inbox_by_thread ON inbox (thread, number);

-- evidence: its id. A pack that has been removed since leaves it here.
CREATE TABLE inbox_evidence (
  message TEXT NOT NULL REFERENCES inbox (id) ON DELETE CASCADE, evidence TEXT NOT NULL,
  UNIQUE (message, evidence)) STRICT;

-- Screens and diffs, by their SHA-256; at: of the newest pack that has it.
CREATE TABLE evidence_texts (hash BLOB PRIMARY KEY, at INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
CREATE INDEX evidence_texts_by_time ON evidence_texts (at);

CREATE TABLE evidence (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, session TEXT NOT NULL,
  name TEXT NOT NULL, pty INTEGER NOT NULL, agent TEXT NOT NULL, channel TEXT NOT NULL, action TEXT NOT NULL,
  note TEXT NOT NULL, secret INTEGER NOT NULL, exit_code INTEGER, cwd TEXT NOT NULL, diff_note TEXT NOT NULL,
  truncated INTEGER NOT NULL, complete INTEGER NOT NULL, sent BLOB,
  screen_before BLOB, before_cols INTEGER NOT NULL, before_rows INTEGER NOT NULL,
  screen_after BLOB, after_cols INTEGER NOT NULL, after_rows INTEGER NOT NULL,
  output BLOB, output_cut INTEGER NOT NULL, diff_stat BLOB NOT NULL, diff BLOB) STRICT;
CREATE INDEX evidence_by_time ON evidence (at);
CREATE INDEX evidence_by_session ON evidence (session);
)",
    // 3: prompts
    R"(
-- choices, evidence: JSON. confidence: hundredths. run: restarts of the PTY.
CREATE TABLE prompts (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, nonce TEXT NOT NULL, session TEXT NOT NULL,
  name TEXT NOT NULL, pty INTEGER NOT NULL, run INTEGER NOT NULL, generation INTEGER NOT NULL, region TEXT NOT NULL,
  type TEXT NOT NULL, question TEXT NOT NULL, choices TEXT NOT NULL, fallback TEXT, secret INTEGER NOT NULL,
  enter INTEGER NOT NULL, "limit" INTEGER, confidence INTEGER NOT NULL, excerpt TEXT NOT NULL,
  evidence TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN
    ('created', 'routed', 'awaiting', 'claimed', 'answered', 'expired', 'cancelled', 'failed')),
  outcome TEXT CHECK (outcome IN ('accepted', 'rejected', 'unknown')), value TEXT, "by" TEXT NOT NULL,
  channel TEXT NOT NULL, rule TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  claimed_at INTEGER, intent_at INTEGER, ended_at INTEGER,
  CHECK (NOT secret OR value IS NULL),
  CHECK ((ended_at IS NULL) = (state IN ('created', 'routed', 'awaiting', 'claimed')))) STRICT;
CREATE INDEX prompts_by_session ON prompts (session, number);
CREATE INDEX prompts_open ON prompts (state) WHERE ended_at IS NULL;
)",
    // 4: what channels remember
    R"(
-- prompt: its id; empty where it is of none.
CREATE TABLE channel_memory (
  number INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  prompt TEXT NOT NULL, UNIQUE (channel, key)) STRICT;
CREATE INDEX channel_memory_by_prompt ON channel_memory (prompt);
CREATE TRIGGER channel_memory_of_prompt AFTER DELETE ON prompts
  BEGIN DELETE FROM channel_memory WHERE prompt = old.id; END;
)",
};

std::string suspect_mark(const std::string& path) { return path + ".suspect"; }

// Damage that opening alone would not meet.
Result<void> look_over(Connection& connection, const std::string& path) {
  if (::access(suspect_mark(path).c_str(), F_OK) != 0) return {};
  auto check = connection.prepare("PRAGMA quick_check(1)");
  if (!check) return fail(check);
  auto row = check->step();
  if (!row) return fail(row);
  if (!*row || check->view(0) != "ok")
    return fail(Code::internal, EUCLEAN, "the file is damaged: " + (*row ? check->text(0) : ""));
  return {};
}

// What the daemon is about to need: the small tables whole, and an end of the audit that can be written on.
Result<void> look_at_needed(Connection& connection) {
  for (const char* sql :
       {"SELECT count(*), sum(length(settings)) FROM sessions",
        "SELECT count(*), sum(length(value)) FROM labels", "SELECT count(*), sum(length(command)) FROM ptys",
        "SELECT sum(number) FROM audit_heads", "SELECT max(seq) FROM audit_start"}) {
    if (auto number = connection.number(sql); !number) return fail(number);
  }
  auto state = read_state(connection);
  if (!state) return fail(state);
  auto last = connection.number("SELECT max(seq) FROM audit");
  if (!last) return fail(last);
  if (*last > state->seq) return fail(Code::internal, 0, "the audit holds rows that the store did not write");
  return {};
}

Result<Connection> open_and_migrate(const std::string& path, const std::string& vfs) {
  auto connection = Connection::open(path, Access::write, vfs);
  if (!connection) return connection;
  if (auto whole = look_over(*connection, path); !whole) return fail(whole);
  if (auto migrated = migrate(*connection); !migrated) return fail(migrated);
  auto usable = look_at_needed(*connection);
  if (!usable) {
    // At this version every table must be there.
    if (usable.error().sys == 0) usable.error().sys = EUCLEAN;
    return fail(usable);
  }
  return connection;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts)};
}

// The WAL goes first: a fresh database beside an old WAL would make SQLite delete it.
Result<std::string> put_aside(const std::string& path) {
  const std::string wanted = path + ".corrupt-" + utc_now();
  std::string name = wanted;
  for (int n = 2; ::access(name.c_str(), F_OK) == 0; n++) name = fmt::format("{}-{}", wanted, n);
  for (const char* suffix : {"-wal", "-shm", ""}) {
    auto renamed = rename_new(path + suffix, name + suffix);
    if (!renamed && renamed.error().sys != ENOENT) return fail(renamed);
  }
  ::unlink(suspect_mark(path).c_str());
  return name;
}

}  // namespace

int schema_version() { return static_cast<int>(std::size(kSteps)); }

Result<void> migrate(Connection& connection) {
  auto transaction = Transaction::begin(connection, Transaction::Kind::write);
  if (!transaction) return fail(transaction);
  auto version = connection.number("PRAGMA user_version");
  if (!version) return fail(version);
  auto application = connection.number("PRAGMA application_id");
  if (!application) return fail(application);
  auto tables = connection.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return fail(tables);
  if (*application != kApplication && (*application != 0 || *version != 0 || *tables != 0))
    return fail(Code::invalid_param, 0, "the store's file is a database of another program");
  if (*version > schema_version())
    return fail(Code::version_mismatch, 0,
                fmt::format("the store is of a newer tend (its format is {}, this tend knows up to {}): "
                            "upgrade tend, or give it another store.path",
                            *version, schema_version()));
  if (*version == schema_version()) return {};
  for (int64_t step = *version; step < schema_version(); step++) {
    if (auto done = connection.execute(kSteps[step]); !done) return fail(done);
  }
  auto counted = connection.execute(fmt::format("PRAGMA user_version = {}", schema_version()));
  if (!counted) return fail(counted);
  return transaction->commit();
}

Result<OpenedFile> open_store_file(const std::string& path, const std::string& vfs) {
  auto connection = open_and_migrate(path, vfs);
  if (connection) {
    ::unlink(suspect_mark(path).c_str());
    return OpenedFile{std::move(*connection), ""};
  }
  if (!is_damage(connection.error())) return fail(connection);
  auto name = put_aside(path);
  if (!name) {
    name.error().what = "the store " + path + " is damaged and cannot be put aside: " + name.error().what;
    return fail(name);
  }
  auto fresh = open_and_migrate(path, vfs);
  if (!fresh) return fail(fresh);
  return OpenedFile{std::move(*fresh), fmt::format("the store {} was damaged; it was put aside as {}, and a "
                                                   "fresh one was begun",
                                                   path, *name)};
}

void mark_suspect(const std::string& path) {
  const base::Fd mark(::open(suspect_mark(path).c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
}

}  // namespace store
