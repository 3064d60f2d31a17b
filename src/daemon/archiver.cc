// SPDX-License-Identifier: Apache-2.0
#include "daemon/archiver.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/log.h"

namespace host {

using base::log::Level;

Archiver::Archiver(event::Loop& loop, store::Store& store, AuditTrail& audit, ArchiverOptions options)
    : store_(store), audit_(audit), options_(options), timer_(loop, [this] { run(); }) {}

void Archiver::run() {
  timer_.set_after(options_.every);
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
  if (report && report->more) run();
}

}  // namespace host
