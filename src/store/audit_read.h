// SPDX-License-Identifier: Apache-2.0
// Reading the audit trail, row by row, on a connection of the caller's own: for `tend audit show` and
// `tend audit export`.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/audit.h"
#include "store/database.h"

namespace store {

struct AuditFilter {
  enum class Order { oldest_first, newest_first };

  std::optional<std::string> session;
  std::optional<std::string> action;
  std::optional<std::string> agent;
  std::optional<int64_t> since;      // at >= since
  std::optional<int64_t> until;      // at < until
  std::optional<int64_t> after_seq;  // rows that follow this one in the order asked for
  std::optional<int64_t> limit;
  Order order = Order::oldest_first;
};

enum class Next { more, stop };

base::Result<void> read_audit(Connection& connection, const AuditFilter& filter,
                              const std::function<Next(const AuditRow&)>& take);

// One row as one line of JSON, without a newline. Absent fields are null. `hash` is in hex, `bytes` in
// base64, with `text` beside it if they are printable UTF-8. A text that is not UTF-8 has U+FFFD where it is
// not, and its exact bytes beside it in NAME_base64.
std::string audit_json(const AuditRow& row);

// Each line with its newline.
base::Result<void> export_jsonl(Connection& connection, const AuditFilter& filter,
                                const std::function<base::Result<void>(std::string_view line)>& take);

}  // namespace store
