// SPDX-License-Identifier: Apache-2.0
#include "store/archive.h"

#include <cerrno>
#include <fmt/core.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/folders.h"
#include "store/audit_read.h"
#include "store/chain.h"
#include "store/json.h"
#include "store/private_file.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr size_t kWriteBytes = 256 << 10;

// The rows that go: from the table's first on, without a hole.
Result<ArchiveReport> choose(Connection& connection, int64_t before) {
  auto select = connection.prepare("SELECT seq, at FROM audit ORDER BY seq LIMIT ?1");
  if (!select) return fail(select);
  select->bind(1, kMostArchived + 1);
  ArchiveReport report;
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row || select->integer(1) >= before) return report;
    if (report.rows == kMostArchived) {
      report.more = true;
      return report;
    }
    if (report.rows++ == 0) report.first_seq = select->integer(0);
    report.last_seq = select->integer(0);
  }
}

// The signed statement that the rows up to the last chosen one are gone from the table.
Result<SignedStart> make_start(Connection& connection, const SigningKey& key, int64_t last, int64_t now) {
  auto before = read_start(connection);
  if (!before) return fail(before);
  SignedStart start{*before ? (*before)->heads : 0, last, now, {}, {}};
  auto row = connection.prepare(
      "SELECT hash, (SELECT max(number) FROM audit_heads WHERE seq <= ?1) FROM audit WHERE seq = ?1");
  if (!row) return fail(row);
  row->bind(1, last);
  auto there = row->step();
  if (!there) return fail(there);
  const auto hash = *there ? read_hash(*row, 0) : std::nullopt;
  if (!hash) return fail(Code::internal, 0, fmt::format("row {} of the audit has no whole hash", last));
  start.hash = *hash;
  start.heads = row->maybe_integer(1).value_or(start.heads);
  auto signature = key.sign(signed_text(start));
  if (!signature) return fail(signature);
  start.signature = *signature;
  return start;
}

std::string start_json(const SignedStart& start, const PublicKey& key) {
  return fmt::format(
      R"({{"start":{{"heads":{},"seq":{},"at":{},"hash":"{}","signature":"{}","public_key":{}}}}})"
      "\n",
      start.heads, start.seq, start.at, to_hex(start.hash), to_hex(start.signature),
      json_string(public_key_pem(key)));
}

Result<void> write_rows(Connection& connection, int fd, int64_t last, const std::string& end) {
  std::string lines;
  const auto flush = [&] {
    auto done = base::write_all(fd, lines);
    lines.clear();
    return done;
  };
  Result<void> written;
  auto read = read_audit(connection, {}, [&](const AuditRow& row) {
    if (row.seq > last) return Next::stop;
    lines.append(audit_json(row)).push_back('\n');
    if (lines.size() >= kWriteBytes) written = flush();
    return written ? Next::more : Next::stop;
  });
  if (!read) return read;
  if (!written) return written;
  lines += end;
  return flush();
}

// A file of that name may be there: of a chain that was put aside, or of an archiving that a crash cut short.
Result<std::string> rename_free(const std::string& part, const std::string& folder,
                                const ArchiveReport& report) {
  for (int n = 1;; n++) {
    std::string name = fmt::format("{}/audit-{}-{}{}.jsonl", folder, report.first_seq, report.last_seq,
                                   n == 1 ? "" : fmt::format("-{}", n));
    auto renamed = rename_new(part, name);
    if (renamed) return name;
    if (renamed.error().sys != EEXIST) return fail(renamed);
  }
}

Result<std::string> write_file(Connection& connection, const std::string& folder, const ArchiveReport& report,
                               const std::string& end) {
  if (auto made = base::make_private_folder(folder); !made) return fail(made);
  const std::string part = folder + "/audit.part";
  ::unlink(part.c_str());
  auto file = make_private_file(part);
  if (!file) return fail(file);
  auto written = write_rows(connection, file->get(), report.last_seq, end);
  if (written) written = sync_file(file->get(), part);
  if (!written) {
    ::unlink(part.c_str());  // on a full disk half a file helps nobody
    return fail(written);
  }
  return rename_free(part, folder, report);
}

Result<void> remove_rows(Connection& connection, const SignedStart& start) {
  auto put = connection.prepare(
      "INSERT OR REPLACE INTO audit_start (only, heads, seq, at, hash, signature) "
      "VALUES (1, ?1, ?2, ?3, ?4, ?5)");
  if (!put) return fail(put);
  put->bind(1, start.heads);
  put->bind(2, start.seq);
  put->bind(3, start.at);
  put->bind(4, as_blob(start.hash));
  put->bind(5, Blob{{reinterpret_cast<const char*>(start.signature.data()), start.signature.size()}});
  if (auto done = put->run(); !done) return done;
  for (const char* sql : {"DELETE FROM audit WHERE seq <= ?1", "DELETE FROM audit_heads WHERE seq <= ?1"}) {
    auto remove = connection.prepare(sql);
    if (!remove) return fail(remove);
    remove->bind(1, start.seq);
    if (auto done = remove->run(); !done) return done;
  }
  return {};
}

}  // namespace

Result<ArchiveReport> archive_audit(Connection& connection, const SigningKey& key, const std::string& folder,
                                    int64_t before, int64_t now) {
  auto report = choose(connection, before);
  if (!report || report->rows == 0) return report;
  auto transaction = Transaction::begin(connection, Transaction::Kind::write);
  if (!transaction) return fail(transaction);
  auto start = make_start(connection, key, report->last_seq, now);
  if (!start) return fail(start);
  auto file = write_file(connection, folder, *report, start_json(*start, key.public_key()));
  if (!file) return fail(file);
  report->file = *file;
  if (auto done = remove_rows(connection, *start); !done) return fail(done);
  if (auto done = transaction->commit(); !done) return fail(done);
  return report;
}

}  // namespace store
