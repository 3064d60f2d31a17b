// SPDX-License-Identifier: Apache-2.0
// tend audit: who did what to which terminal, and whether the record of it is whole.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace cli {

struct AuditShowOptions {
  std::optional<std::string> session;
  std::optional<std::string> action;
  std::optional<std::string> agent;
  uint64_t rows = 20;  // the newest ones, oldest of them first
  bool json = false;
};
int show_audit(const AuditShowOptions& options);

// Every row as a line of JSON.
int export_audit();

struct AuditVerifyOptions {
  std::optional<std::string> anchor;  // SEQ:HASH, as `tend audit head` printed it once
  bool json = false;
};
int verify_audit(const AuditVerifyOptions& options);

struct AuditHeadOptions {
  bool json = false;
};
int audit_head(const AuditHeadOptions& options);

}  // namespace cli
