// SPDX-License-Identifier: Apache-2.0
// Moves old rows of the audit into a file of their own, audit-<first>-<last>.jsonl, mode 0600: the lines of
// audit_json(), then one line {"start":…} with the signed start. The file is whole and on the disk before a
// row leaves the table; after a crash in between, rows stand in both.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/database.h"
#include "store/signing.h"

namespace store {

struct ArchiveReport {
  int64_t rows = 0;  // 0: there was nothing so old, and no file was made
  int64_t first_seq = 0;
  int64_t last_seq = 0;
  std::string file;
  bool more = false;  // the bound of one file was reached: ask again
};

// The oldest rows, up to the first one that is not older than `before` (microseconds since the epoch), and at
// most kMostArchived of them. Outside of any transaction.
constexpr int64_t kMostArchived = 50'000;
base::Result<ArchiveReport> archive_audit(Connection& connection, const SigningKey& key,
                                          const std::string& folder, int64_t before, int64_t now);

}  // namespace store
