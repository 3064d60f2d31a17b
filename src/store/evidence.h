// SPDX-License-Identifier: Apache-2.0
// Evidence: what an agent did to a terminal, kept as one pack: the screen before and after, the bytes sent,
// the output, and what git says has changed. Screens and diffs are kept once, however many packs have the
// same: of two packs in a row, the first one's end is the second one's beginning.
// Times are microseconds since the epoch.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/database.h"

namespace store {

// What lists show of a pack.
struct EvidenceHead {
  int64_t number = 0;  // in the order of saving
  std::string id = {};
  int64_t at = 0;
  std::string session = {};  // its id
  std::string name = {};     // its name, then
  int64_t pty = 0;
  std::string agent = {};
  std::string channel = {};
  std::string action = {};  // write, run, capture
  std::string note = {};
  bool secret = false;  // the word "secret" is kept in place of what was sent
  std::optional<int64_t> exit_code = {};
  std::string cwd = {};
  std::string diff_note = {};  // why there is no diff
  bool truncated = false;      // the diff was longer
  bool complete = false;       // what is to come has come

  bool operator==(const EvidenceHead&) const = default;
};

// A screen as bytes that make an empty terminal of that size show it.
struct ScreenShot {
  std::string bytes = {};
  int64_t cols = 0;
  int64_t rows = 0;

  bool operator==(const ScreenShot&) const = default;
};

struct EvidencePack : EvidenceHead {
  std::optional<std::string> sent = {};
  std::optional<ScreenShot> before = {};
  std::optional<ScreenShot> after = {};
  std::optional<std::string> output = {};
  bool output_cut = false;  // only the newest of it is there
  std::string diff_stat = {};
  std::string diff = {};

  bool operator==(const EvidencePack&) const = default;
};

// Insert or replace; several statements.
base::Result<void> save_evidence(Connection& connection, const EvidencePack& pack);
base::Result<std::optional<EvidencePack>> load_evidence(Connection& connection, std::string_view id);
base::Result<bool> has_evidence(Connection& connection, std::string_view id);

struct EvidenceFilter {
  std::optional<std::string> session = {};  // its id, or its name
  std::optional<int64_t> before = {};       // numbers below this
  int64_t limit = 100;
};
// Newest first.
base::Result<std::vector<EvidenceHead>> list_evidence(Connection& connection, const EvidenceFilter& filter);

// Removes packs that are older, at most `most`; gives how many.
base::Result<int64_t> remove_evidence(Connection& connection, int64_t before, int64_t most);

}  // namespace store
