// SPDX-License-Identifier: Apache-2.0
// The audit chain's end: where rows are added and heads are signed. Used by the store's writer thread inside
// its transactions; keeps nothing between them that a rollback could make wrong.
//
// A head is a signed statement "row `seq` has this hash"; heads are numbered from 1 without holes. The start
// is a signed statement "rows up to `seq` were archived, with the heads up to `heads`"; there is at most one.
// What is signed (integers in 8 bytes, big-endian):
//   head   "tend audit head 1"   number seq at hash
//   start  "tend audit start 1"  heads  seq at hash
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "store/audit.h"
#include "store/database.h"
#include "store/signing.h"

namespace store {

// A row is signed at the latest when this many have come since the last head.
constexpr int64_t kMostUnsigned = 1000;

struct SignedHead {
  int64_t number = 0;
  int64_t seq = 0;
  int64_t at = 0;
  Hash hash{};
  Signature signature{};
};

struct SignedStart {
  int64_t heads = 0;
  int64_t seq = 0;
  int64_t at = 0;
  Hash hash{};
  Signature signature{};
};

// The table's one row that says where the chain ends. Written with the rows, in their transaction.
struct ChainState {
  int64_t seq = 0;
  Hash hash{};
  int64_t heads = 0;
};

std::string signed_text(const SignedHead& head);
std::string signed_text(const SignedStart& start);

base::Result<ChainState> read_state(Connection& connection);
base::Result<std::optional<SignedHead>> read_last_head(Connection& connection);
base::Result<std::optional<SignedStart>> read_start(Connection& connection);
// Of a row of `SELECT number, seq, at, hash, signature`.
base::Result<SignedHead> read_head(const Statement& select);

class Chain {
 public:
  // Signs after every `sign_rows` rows, at most kMostUnsigned.
  static base::Result<Chain> open(Connection& connection, const SigningKey& key, int64_t sign_rows);

  // First in a transaction: where the chain ends now.
  base::Result<void> load();
  // `now` is for the head that may become due.
  base::Result<int64_t> append(const AuditEntry& entry, int64_t now);
  // Signs the end, unless there is a head of it.
  base::Result<void> sign(int64_t now);
  // Last in a transaction.
  base::Result<void> save();

  bool is_empty() const { return state_.seq == 0; }
  int64_t unsigned_rows() const { return state_.seq - std::max({int64_t{0}, head_seq_, start_seq_}); }

 private:
  struct Statements {
    Statement where;
    Statement insert;
    Statement head;
    Statement update;
  };
  Chain(const SigningKey& key, int64_t sign_rows, Statements statements)
      : key_(&key), sign_rows_(sign_rows), statements_(std::move(statements)) {}

  const SigningKey* key_;
  int64_t sign_rows_;
  Statements statements_;
  RowHasher hasher_;
  ChainState state_;
  int64_t head_seq_ = 0;
  int64_t start_seq_ = 0;
};

}  // namespace store
