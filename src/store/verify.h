// SPDX-License-Identifier: Apache-2.0
// Checks the whole audit trail against itself and against the key: every row's hash, every number, every
// signed head, the start after archiving, and the table's own word on where it ends. Opens the file read-only
// by itself, and so may run on any thread, or in another process, while the daemon writes.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/audit.h"
#include "store/audit_read.h"
#include "store/signing.h"

namespace store {

struct VerifyReport {
  bool ok = false;
  int64_t rows = 0;       // checked and found good
  int64_t first_seq = 0;  // 0: there are none
  int64_t last_seq = 0;
  int64_t signed_up_to = 0;
  std::optional<int64_t> bad_seq;  // the first row that is wrong or missing
  std::string problem;             // a sentence that names it
};

// What somebody wrote down elsewhere (`tend audit head`). A file that was put back to an earlier state with
// all its signatures is found only by this.
struct Anchor {
  int64_t seq = 0;
  Hash hash{};
};

struct VerifyOptions {
  std::optional<Anchor> anchor;
  std::function<Next(int64_t rows)> on_progress;  // every 10,000 rows
};

// An error only if the file cannot be looked at, or the caller stopped it.
base::Result<VerifyReport> verify_audit(const std::string& path, const PublicKey& key,
                                        const VerifyOptions& options = {});

}  // namespace store
