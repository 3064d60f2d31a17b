// SPDX-License-Identifier: Apache-2.0
#include "daemon/archiver.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "base/log.h"
#include "store/evidence.h"
#include "store/prompts.h"

namespace host {

using base::log::Level;

constexpr int64_t kMostRemoved = 500;

Archiver::Archiver(event::Loop& loop, store::Store& store, AuditTrail& audit, ArchiverOptions options)
    : store_(store), audit_(audit), options_(options), timer_(loop, [this] { run(); }) {}

void Archiver::run() {
  timer_.set_after(options_.every);
  archive();
  remove_evidence(0);
  remove_prompts();
}

void Archiver::archive() {
  store_.archive(store::wall_now() - options_.age.count(),
                 [this](const base::Result<store::ArchiveReport>& report) { moved(report); });
}

// What cannot be moved stays where it is, and is tried again tomorrow.
void Archiver::moved(const base::Result<store::ArchiveReport>& report) {
  if (report && report->rows == 0) return;
  store::AuditEntry entry =
      audit_entry("archive", fmt::format("uid:{} pid:{}", ::geteuid(), ::getpid()), "daemon");
  if (report) {
    entry.count = report->rows;
    entry.summary = fmt::format("rows {} to {} are in {}", report->first_seq, report->last_seq, report->file);
    base::log::say(Level::info, "the audit's {}", entry.summary);
  } else {
    entry.result = base::code_name(report.error().code);
    entry.summary = "old rows of the audit cannot be archived: " + report.error().message();
    base::log::say(Level::error, "{}", entry.summary);
  }
  audit_.add(std::move(entry));
  if (report && report->more) archive();
}

// Some at a time, so that whoever waits for the store does not wait long.
void Archiver::remove_evidence(int64_t so_far) {
  const auto count = std::make_shared<int64_t>(0);
  const int64_t before = store::wall_now() - options_.evidence_age.count();
  const auto work = [count, before](store::Connection& connection) -> base::Result<void> {
    auto gone = store::remove_evidence(connection, before, kMostRemoved);
    if (!gone) return base::fail(gone);
    *count = *gone;
    return {};
  };
  store_.write(work, [this, count, so_far](const base::Result<void>& done) {
    if (done && *count == kMostRemoved) return remove_evidence(so_far + *count);
    removed(done, so_far + (done ? *count : 0));
  });
}

void Archiver::removed(const base::Result<void>& done, int64_t count) {
  if (!done) base::log::say(Level::error, "old evidence cannot be removed: {}", done.error().message());
  if (count == 0) return;
  store::AuditEntry entry =
      audit_entry("evidence_removed", fmt::format("uid:{} pid:{}", ::geteuid(), ::getpid()), "daemon");
  entry.count = count;
  entry.summary = fmt::format("{} packs were older than evidence.keep_days", count);
  audit_.add(std::move(entry));
}

// The audit has who answered what.
void Archiver::remove_prompts() {
  const int64_t before = store::wall_now() - options_.age.count();
  store_.write(
      [before](store::Connection& connection) -> base::Result<void> {
        auto gone = store::prune_prompts(connection, before);
        if (!gone) return base::fail(gone);
        return {};
      },
      [](const base::Result<void>& done) {
        if (!done) base::log::say(Level::error, "old prompts cannot be removed: {}", done.error().message());
      });
}

}  // namespace host
