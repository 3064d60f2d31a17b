// SPDX-License-Identifier: Apache-2.0
// FaultVfs: a disk that can be full and that can lose its power. It forwards to SQLite's own and keeps beside
// each file what of it was synced. Test programs open a store with its name as `vfs`.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "support/temp_dir.h"

struct sqlite3_vfs;

namespace store {

class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();  // every store on it must be closed
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const { return name_; }

  // From now on every write, truncation and sync gives this code of SQLite's; 0 ends it.
  void fail_with(int code) { failure_ = code; }
  int failure() const { return failure_; }

  // The files as a power cut would leave them now, written below `folder` under their own names: all that was
  // synced, and of the rest each write by chance, whole or only its first half.
  void cut_power(const std::string& folder, std::mt19937& random) const;

  // For its files.
  void note_write(const std::string& path, uint64_t offset, std::string bytes);
  void note_truncate(const std::string& path, uint64_t size);
  void note_sync(const std::string& path);
  void note_delete(const std::string& path);

 private:
  struct Change {
    uint64_t offset;    // or the new size
    std::string bytes;  // empty: a truncation
  };
  struct File {
    std::string synced;
    std::vector<Change> changes;  // since
  };
  static void apply(std::string& image, const Change& change);

  std::string name_;
  sqlite3_vfs* vfs_;
  std::atomic<int> failure_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, File> files_;
};

}  // namespace store
