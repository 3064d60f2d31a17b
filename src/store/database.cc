// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <cerrno>
#include <sqlite3.h>

#include "store/private_file.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr int kBusyMs = 5000;  // for readers beside a checkpoint; nobody holds the writer's lock for long

// 0: only the statement failed.
int reason_of(int code, sqlite3* database) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return ENOSPC;
    case SQLITE_READONLY:
      return EROFS;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return EUCLEAN;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return EBUSY;
    case SQLITE_NOMEM:
      return ENOMEM;
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return EACCES;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL: {
      const int system = database == nullptr ? 0 : sqlite3_system_errno(database);
      return system != 0 ? system : EIO;
    }
    default:
      return 0;
  }
}

std::unexpected<base::Error> failed(int code, sqlite3* database, const std::string& what) {
  const int reason = reason_of(code, database);
  if (reason == EUCLEAN) return fail(Code::internal, reason, what + ": the file is damaged");
  if (reason != 0) return fail(Code::internal, reason, what);
  const char* why = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  return fail(Code::internal, 0, what + ": " + why);
}

// A new file gets its mode before SQLite puts anything into it; -wal and -shm take theirs from it.
Result<void> make_file(const std::string& path) {
  auto there = is_private_file(path);
  if (!there) return fail(there);
  if (*there) return {};
  if (auto file = make_private_file(path); !file) return fail(file);
  return sync_folder_of(path);
}

}  // namespace

bool is_damage(const base::Error& error) { return error.sys == EUCLEAN; }

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::note(int code) {
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

void Statement::bind(int parameter, int64_t value) {
  note(sqlite3_bind_int64(statement_.get(), parameter, value));
}

void Statement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL.
  note(sqlite3_bind_text64(statement_.get(), parameter, text.data() != nullptr ? text.data() : "",
                           text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int parameter, Blob blob) {
  note(sqlite3_bind_blob64(statement_.get(), parameter, blob.bytes.data() != nullptr ? blob.bytes.data() : "",
                           blob.bytes.size(), SQLITE_STATIC));
}

void Statement::bind_null(int parameter) { note(sqlite3_bind_null(statement_.get(), parameter)); }

Result<bool> Statement::step() {
  const int code = bind_code_ != SQLITE_OK ? bind_code_ : sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failed(
      code, sqlite3_db_handle(statement_.get()),
      sqlite3_stmt_readonly(statement_.get()) != 0 ? "cannot read the store" : "cannot write the store");
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bind_code_ = SQLITE_OK;
}

Result<void> Statement::run() {
  Result<bool> row = step();
  while (row && *row) row = step();
  reset();
  if (!row) return fail(row);
  return {};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::view(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

std::optional<int64_t> Statement::maybe_integer(int column) const {
  if (is_null(column)) return {};
  return integer(column);
}

std::optional<std::string> Statement::maybe_text(int column) const {
  if (is_null(column)) return {};
  return text(column);
}

void Connection::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Connection> Connection::open(const std::string& path, Access access, const std::string& vfs) {
  auto resolved = resolve_folder(path);
  if (!resolved) return fail(resolved);
  if (access == Access::write) {
    if (auto made = make_file(*resolved); !made) return fail(made);
  } else if (auto there = is_private_file(*resolved); !there || !*there) {
    return there ? fail(Code::internal, ENOENT, "cannot open " + path) : fail(there);
  }
  const int flags = access == Access::write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(resolved->c_str(), &database,
                                   flags | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                   vfs.empty() ? nullptr : vfs.c_str());
  Connection connection(database);
  if (code != SQLITE_OK) return failed(code, database, "cannot open " + path);
  sqlite3_busy_timeout(database, kBusyMs);
  // Damaged content must end as an error, not as a crash or as SQL that the file brought along.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Closing a file that turned out to be damaged must not write to it or remove its WAL.
  sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  auto set = connection.execute(access == Access::write ? "PRAGMA journal_mode = WAL;"
                                                          "PRAGMA synchronous = FULL;"
                                                          "PRAGMA foreign_keys = ON;"
                                                          "PRAGMA journal_size_limit = 16777216"
                                                        : "PRAGMA query_only = ON");
  if (!set) return fail(set);
  return connection;
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failed(code, database_.get(), "cannot use the store");
  return Statement(statement);
}

Result<void> Connection::execute(std::string_view sql) {
  const char* at = sql.data();
  const char* end = at + sql.size();
  while (at < end) {
    sqlite3_stmt* next = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), at, static_cast<int>(end - at), &next, &at);
    if (code != SQLITE_OK) return failed(code, database_.get(), "cannot use the store");
    if (next == nullptr) break;  // nothing but blanks was left
    Statement statement(next);
    if (auto done = statement.run(); !done) return fail(done);
  }
  return {};
}

Result<int64_t> Connection::number(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(statement);
  auto row = statement->step();
  if (!row) return fail(row);
  return *row ? statement->integer(0) : 0;
}

bool Connection::is_moved() const {
  int moved = 0;
  sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

Result<void> Connection::checkpoint() {
  const int code =
      sqlite3_wal_checkpoint_v2(database_.get(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code != SQLITE_OK) return failed(code, database_.get(), "cannot empty the store's WAL");
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  return {};
}

Result<Transaction> Transaction::begin(Connection& connection, Kind kind) {
  auto begun = connection.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
  if (!begun) return fail(begun);
  return Transaction(connection.database_.get());
}

Transaction::~Transaction() {
  // Some errors have rolled it back already.
  if (database_ != nullptr && sqlite3_get_autocommit(database_) == 0)
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::commit() {
  // An error in the middle may have ended the transaction; then COMMIT would say so in odder words.
  if (sqlite3_get_autocommit(database_) != 0)
    return fail(Code::internal, EIO, "the store has rolled a transaction back");
  const int code = sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failed(code, database_, "cannot write the store");
  database_ = nullptr;
  return {};
}

}  // namespace store
