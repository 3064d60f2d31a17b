// SPDX-License-Identifier: Apache-2.0
// Store: the daemon's memory on disk: sessions, PTYs, and the audit trail. Opened once, by the daemon.
//
// All writing happens on one thread of the store's own; a call here puts its work into a queue and returns.
// Everything queued when that thread wakes becomes one transaction. A completion is handed to `post` once its
// work is on the disk (synced: it survives kill -9 and a power cut) or has failed, in the order of the calls;
// without one, nobody hears of it.
//
// When the disk cannot be written (full, failing, read-only), completions get the error and degraded() says
// it. A record (save, remove) is then dropped: it is the caller's to save again. Rows of the audit are kept
// and tried again, in order, with the next write and by themselves after 1 s, doubling to 30 s; their
// completion has had its error by then and is not called again. The first success ends it.
//
// The queue, with the rows kept, is bounded (`most_queued`, `most_queued_bytes`). At the bound a call fails
// at once; rows of the audit that are refused there are counted, and a row `lost` with that count takes their
// place in the trail.
//
// An idle store wakes up for nothing: its thread waits with a timeout only while rows are unsigned or kept.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/archive.h"
#include "store/audit.h"
#include "store/chain.h"
#include "store/records.h"

namespace store {

struct StoreOptions {
  std::string path;            // the database; its folder is there
  std::string key_path;        // the audit's key, made if missing; the public half goes to key_path + ".pub"
  std::string archive_folder;  // made if missing
  // Called on the store's thread, or on the caller's by a call that is refused; must hand the function to the
  // thread where completions belong, and stay callable until the store is closed. Without one, completions
  // run where it would have been called.
  std::function<void(std::function<void()>)> post;

  size_t most_queued = 65'536;
  size_t most_queued_bytes = 64 << 20;
  int64_t sign_rows = kMostUnsigned;  // at most that
  std::chrono::milliseconds sign_after = std::chrono::minutes(10);
  std::chrono::milliseconds retry_after = std::chrono::seconds(1);
  std::string vfs;  // for tests
};

// The end of the trail, signed, to be kept in another place.
struct AuditHead {
  SignedHead head;
  PublicKey public_key{};
};

template <typename T>
using Completion = std::function<void(base::Result<T>)>;

class Store {
 public:
  // A damaged file is put aside and a fresh one begun; degraded() then says so until the store is closed.
  static base::Result<std::unique_ptr<Store>> open(StoreOptions options);
  ~Store();  // as close()
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Insert or update.
  void save(SessionRecord record, Completion<void> done = {});
  void save(PtyRecord record, Completion<void> done = {});
  // The session and its PTYs; its rows in the audit stay.
  void remove_session(std::string id, Completion<void> done = {});

  // The completion gets the row's number.
  void append(AuditEntry entry, Completion<int64_t> done = {});
  // Signs what is there, if it is not, and gives the head.
  void head(Completion<AuditHead> done);
  // Moves rows older than this (microseconds since the epoch) to a file in the archive's folder.
  void archive(int64_t before, Completion<ArchiveReport> done = {});

  // For other tables: `work` runs on the store's thread, in its transaction, under a savepoint of its own. It
  // passes errors of the connection on as they are; one of its own has no `sys`, and undoes only this work.
  // `bytes` is about what it holds in memory.
  void write(std::function<base::Result<void>(Connection&)> work, Completion<void> done = {},
             size_t bytes = 0);
  // The same for what is about programs that run, and end in a power cut themselves: it survives kill -9 at
  // once, and a power cut with the next work that is synced. Syncing takes ten milliseconds on many disks.
  void write_unsynced(std::function<base::Result<void>(Connection&)> work, Completion<void> done = {},
                      size_t bytes = 0);

  // On the caller's thread, with a connection of its own. What is still queued is not in it.
  base::Result<std::vector<StoredSession>> load() const;
  // For read_audit and the like.
  base::Result<Connection> reader() const;

  // Sentences for `tend status`; none: all is well.
  std::vector<std::string> degraded() const;

  // Writes all that is queued, signs the head, empties the WAL, hands out the last completions. An error says
  // what could not be written. Calls after it fail.
  base::Result<void> close();

 private:
  class Writer;
  explicit Store(std::unique_ptr<Writer> writer);

  std::unique_ptr<Writer> writer_;
};

// Microseconds since the epoch.
int64_t wall_now();

}  // namespace store
