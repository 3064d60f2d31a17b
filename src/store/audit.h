// SPDX-License-Identifier: Apache-2.0
// One row of the audit trail, and the hash that chains it to the row before.
//
// hash = SHA-256 of the encoding of, in this order: the text "tend audit row 1", the previous row's hash (32
// zero bytes before row 1), seq, and every field of AuditEntry as declared below. Each value is encoded as
//   00                                     not there
//   01  8 bytes, big-endian                an integer (two's complement); a bool is 0 or 1
//   02  length in 8 bytes, big-endian      a text or bytes, followed by them
// so that no two different rows have the same encoding, and an absent value differs from an empty one.
// seq counts from 1 without holes.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/database.h"

struct evp_md_ctx_st;
struct evp_md_st;

namespace store {

using Hash = std::array<unsigned char, 32>;

struct AuditEntry {
  int64_t at = 0;       // microseconds since the epoch; of the first operation, if the row stands for several
  std::string session;  // empty where there is none (login, list)
  std::optional<int64_t> pty;
  std::string action;   // spawn write run send read screen wait list resize kill restart attach detach answer
                        // injection filter_block login refused keys …
  std::string agent;    // who
  std::string channel;  // cli mcp web telegram …
  std::optional<std::string> command;
  std::optional<std::string> bytes;  // exactly what was sent
  bool secret = false;               // the store keeps the word "secret" in place of `bytes`
  int64_t count = 1;                 // operations that the row stands for; for `keys` the bytes typed
  std::optional<int64_t> until;      // time of the last of them, if there are several
  std::optional<std::string> prompt_id;
  std::optional<std::string> screen_hash;
  std::optional<int64_t> journal_offset;
  std::string result = "ok";  // or the name of an error code
  std::string summary;
  std::optional<std::string> evidence_id;

  bool operator==(const AuditEntry&) const = default;
};

struct AuditRow {
  int64_t seq = 0;
  AuditEntry entry;
  Hash hash{};
};

// Reuses its buffers from row to row; one thread at a time.
class RowHasher {
 public:
  RowHasher();
  Hash hash(const Hash& previous, int64_t seq, const AuditEntry& entry);

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
    void operator()(evp_md_st* digest) const;
  };
  std::unique_ptr<evp_md_st, Free> digest_;
  std::unique_ptr<evp_md_ctx_st, Free> context_;
  std::string buffer_;
};

// The columns of the table `audit` in the order in which bind_row and read_row know them: seq, the fields of
// AuditEntry, hash.
extern const std::string_view kAuditColumns;
constexpr int kAuditColumnCount = 19;

void bind_row(Statement& insert, int64_t seq, const AuditEntry& entry, const Hash& hash);
// Fails on a hash that is not one.
base::Result<AuditRow> read_row(const Statement& select);

// 32 bytes of a column, or nothing.
std::optional<Hash> read_hash(const Statement& select, int column);
inline Blob as_blob(const Hash& hash) {
  return Blob{{reinterpret_cast<const char*>(hash.data()), hash.size()}};
}

}  // namespace store
