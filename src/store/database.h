// SPDX-License-Identifier: Apache-2.0
// A thin RAII cover of SQLite: Connection, Statement, Transaction. A connection belongs to one thread at a
// time; statements must not outlive it. SQL is prepared text of the source, never put together from values.
// Errors are values. `sys` tells their kind: 0 is an error of the one statement (a constraint, say), anything
// else one of the file or the disk, after which a transaction is to be rolled back: ENOSPC, EIO, EROFS,
// EBUSY, EUCLEAN (the file is damaged), …
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace store {

bool is_damage(const base::Error& error);

// Bytes, where a plain string_view is text.
struct Blob {
  std::string_view bytes;
};

class Statement {
 public:
  // Texts and blobs are not copied: they must live until run() or reset(). What goes wrong here is told by
  // step().
  void bind(int parameter, int64_t value);
  void bind(int parameter, std::string_view text);
  void bind(int parameter, Blob blob);
  void bind_null(int parameter);
  template <typename T>
  void bind(int parameter, const std::optional<T>& value) {
    if (value)
      bind(parameter, *value);
    else
      bind_null(parameter);
  }

  // True: there is a row, whose columns (from 0) may be read until the next step.
  base::Result<bool> step();
  void reset();
  // To the end, ready for the next time.
  base::Result<void> run();

  bool is_null(int column) const;
  int64_t integer(int column) const;
  std::string_view view(int column) const;  // a text's or a blob's bytes, valid until the next step
  std::string text(int column) const { return std::string(view(column)); }
  std::optional<int64_t> maybe_integer(int column) const;
  std::optional<std::string> maybe_text(int column) const;

 private:
  friend class Connection;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  void note(int code);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_code_ = 0;
};

enum class Access {
  write,  // makes the file, mode 0600, if it is not there
  read,
};

class Connection {
 public:
  // `path` is a regular file of this user's that others may not touch, and no symbolic link. With WAL,
  // synchronous=FULL (a commit that has returned survives a power cut) and foreign keys. `vfs` is for tests.
  static base::Result<Connection> open(const std::string& path, Access access, const std::string& vfs = "");

  base::Result<Statement> prepare(std::string_view sql);
  // Runs fixed texts, of one or more statements, that give no rows back or whose rows do not matter.
  base::Result<void> execute(std::string_view sql);
  // The one number that a statement gives.
  base::Result<int64_t> number(std::string_view sql);

  // The file was removed or replaced while we have it open: whatever is written now is lost.
  bool is_moved() const;
  // Puts all of the WAL into the file and empties it; closing then removes it. Closing alone leaves it.
  base::Result<void> checkpoint();

 private:
  friend class Transaction;
  explicit Connection(sqlite3* database) : database_(database) {}

  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// Rolls back at its end unless it was committed.
class Transaction {
 public:
  enum class Kind {
    read,   // one view of everything, whatever others write meanwhile
    write,  // takes the writer's lock now
  };
  static base::Result<Transaction> begin(Connection& connection, Kind kind);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  base::Result<void> commit();

 private:
  explicit Transaction(sqlite3* database) : database_(database) {}
  sqlite3* database_;
};

}  // namespace store
