// SPDX-License-Identifier: Apache-2.0
// tend evidence: what agents did to terminals, to look at and to keep elsewhere.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace cli {

struct EvidenceListOptions {
  std::optional<std::string> session;
  uint64_t rows = 20;  // the newest ones, oldest of them first
  bool json = false;
};
int list_evidence(const EvidenceListOptions& options);

struct EvidenceShowOptions {
  std::string id;
  bool diff = false;
  bool json = false;
};
int show_evidence(const EvidenceShowOptions& options);

struct EvidenceExportOptions {
  std::string id;
  std::optional<std::string> folder;  // evidence-ID if none is named
  bool json = false;
};
int export_evidence(const EvidenceExportOptions& options);

struct EvidenceCaptureOptions {
  std::string target;
  std::optional<std::string> note;
  std::optional<std::string> thread;
  bool json = false;
};
int capture_evidence(const EvidenceCaptureOptions& options);

}  // namespace cli
