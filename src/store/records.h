// SPDX-License-Identifier: Apache-2.0
// What the daemon must know after a restart: sessions and their PTYs. Times are microseconds since the epoch.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/database.h"

namespace store {

struct SessionRecord {
  std::string id;  // base::new_id(): never used again
  std::string name;
  std::string cwd;
  std::string owner;
  std::map<std::string, std::string> labels;
  std::string settings;  // the configuration that it was made with; opaque here
  int64_t created_at = 0;
  std::optional<int64_t> ended_at;

  bool operator==(const SessionRecord&) const = default;
};

struct PtyRecord {
  std::string session;
  int64_t number = 0;  // 0 is the agent
  std::vector<std::string> command;
  std::string cwd;
  int64_t cols = 0;
  int64_t rows = 0;
  int64_t started_at = 0;
  int64_t restarts = 0;
  std::optional<int64_t> exit_code;
  std::optional<int64_t> signal;
  std::optional<int64_t> exited_at;

  bool operator==(const PtyRecord&) const = default;
};

struct StoredSession {
  SessionRecord session;
  std::vector<PtyRecord> ptys;  // by number

  bool operator==(const StoredSession&) const = default;
};

// Each is several statements: the caller puts a transaction or a savepoint around it.
base::Result<void> save_session(Connection& connection, const SessionRecord& record);
base::Result<void> save_pty(Connection& connection, const PtyRecord& record);  // its session must be there
base::Result<void> remove_session(Connection& connection, std::string_view id);

// Oldest first.
base::Result<std::vector<StoredSession>> load_sessions(Connection& connection);

}  // namespace store
