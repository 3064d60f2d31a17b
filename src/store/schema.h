// SPDX-License-Identifier: Apache-2.0
// The store's tables and how a file gets them: one list of steps, of which `user_version` counts those done.
#pragma once
#include <string>

#include "base/result.h"
#include "store/database.h"

namespace store {

// How many steps this version of tend knows.
int schema_version();

// Brings the file up to date. A file of a newer tend, or of another program, is refused and left as it is.
base::Result<void> migrate(Connection& connection);

struct OpenedFile {
  Connection connection;
  // A sentence: the file that was there is damaged and was put aside, and this is a fresh one. Empty else.
  std::string put_aside;
};

// Opens and migrates. A damaged file is renamed, with its -wal and -shm, to PATH.corrupt-<time>, never
// removed.
base::Result<OpenedFile> open_store_file(const std::string& path, const std::string& vfs = "");

// The next open_store_file() reads the whole file for damage before it trusts it: for damage that was met
// only later, in use. Without this mark opening looks at what it needs, and costs no time.
void mark_suspect(const std::string& path);

}  // namespace store
