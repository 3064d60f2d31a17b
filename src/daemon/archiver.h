// SPDX-License-Identifier: Apache-2.0
// Archiver: moves old rows of the audit out of the store, removes old evidence and old prompts, once when the
// daemon starts and then once a day. The store's own thread does the work; what was moved or removed is a row
// of the audit itself.
#pragma once
#include <chrono>

#include "base/clock.h"
#include "base/result.h"
#include "daemon/audit_trail.h"
#include "event/loop.h"
#include "store/store.h"

namespace host {

struct ArchiverOptions {
  std::chrono::microseconds age = std::chrono::days(90);           // store.archive_days
  std::chrono::microseconds evidence_age = std::chrono::days(30);  // evidence.keep_days
  base::Duration every = std::chrono::days(1);
};

class Archiver {
 public:
  Archiver(event::Loop& loop, store::Store& store, AuditTrail& audit, ArchiverOptions options);

  void run();

 private:
  void archive();
  void moved(const base::Result<store::ArchiveReport>& report);
  void remove_evidence(int64_t so_far);
  void removed(const base::Result<void>& done, int64_t count);
  void remove_prompts();

  store::Store& store_;
  AuditTrail& audit_;
  ArchiverOptions options_;
  event::Timer timer_;
};

}  // namespace host
