// SPDX-License-Identifier: Apache-2.0
#include "store/audit_read.h"

#include <fmt/core.h>

#include "store/json.h"

namespace store {

using base::fail;
using base::Result;

namespace {

// Conditions of the source's own; values are bound.
std::string select_sql(const AuditFilter& filter) {
  const bool newest = filter.order == AuditFilter::Order::newest_first;
  std::string sql = fmt::format("SELECT {} FROM audit WHERE 1", kAuditColumns);
  if (filter.session) sql += " AND session = ?1";
  if (filter.action) sql += " AND action = ?2";
  if (filter.agent) sql += " AND agent = ?3";
  if (filter.since) sql += " AND at >= ?4";
  if (filter.until) sql += " AND at < ?5";
  if (filter.after_seq) sql += newest ? " AND seq < ?6" : " AND seq > ?6";
  sql += newest ? " ORDER BY seq DESC" : " ORDER BY seq";
  if (filter.limit) sql += " LIMIT ?7";
  return sql;
}

void bind_filter(Statement& select, const AuditFilter& filter) {
  if (filter.session) select.bind(1, *filter.session);
  if (filter.action) select.bind(2, *filter.action);
  if (filter.agent) select.bind(3, *filter.agent);
  if (filter.since) select.bind(4, *filter.since);
  if (filter.until) select.bind(5, *filter.until);
  if (filter.after_seq) select.bind(6, *filter.after_seq);
  if (filter.limit) select.bind(7, *filter.limit);
}

class JsonLine {
 public:
  void put(std::string_view name, int64_t value) { raw(name, std::to_string(value)); }
  void put(std::string_view name, std::string_view text) {
    raw(name, json_string(text));
    if (!is_utf8(text)) raw(std::string(name) + "_base64", json_string(to_base64(text)));
  }
  template <typename T>
  void put(std::string_view name, const std::optional<T>& value) {
    if (value)
      put(name, *value);
    else
      raw(name, "null");
  }
  void raw(std::string_view name, std::string_view value) {
    out_ += out_.empty() ? "{\"" : ",\"";
    out_.append(name).append("\":").append(value);
  }
  std::string take() { return std::move(out_ += '}'); }

 private:
  std::string out_;
};

}  // namespace

Result<void> read_audit(Connection& connection, const AuditFilter& filter,
                        const std::function<Next(const AuditRow&)>& take) {
  auto select = connection.prepare(select_sql(filter));
  if (!select) return fail(select);
  bind_filter(*select, filter);
  for (;;) {
    auto there = select->step();
    if (!there) return fail(there);
    if (!*there) return {};
    auto row = read_row(*select);
    if (!row) return fail(row);
    if (take(*row) == Next::stop) return {};
  }
}

std::string audit_json(const AuditRow& row) {
  const AuditEntry& entry = row.entry;
  JsonLine line;
  line.put("seq", row.seq);
  line.put("at", entry.at);
  line.put("session", entry.session);
  line.put("pty", entry.pty);
  line.put("action", entry.action);
  line.put("agent", entry.agent);
  line.put("channel", entry.channel);
  line.put("command", entry.command);
  if (entry.bytes) {
    line.put("bytes", to_base64(*entry.bytes));
    if (is_printable(*entry.bytes)) line.put("text", *entry.bytes);
  } else {
    line.raw("bytes", "null");
  }
  line.raw("secret", entry.secret ? "true" : "false");
  line.put("count", entry.count);
  line.put("until", entry.until);
  line.put("prompt_id", entry.prompt_id);
  line.put("screen_hash", entry.screen_hash);
  line.put("journal_offset", entry.journal_offset);
  line.put("result", entry.result);
  line.put("summary", entry.summary);
  line.put("evidence_id", entry.evidence_id);
  line.put("hash", to_hex(row.hash));
  return line.take();
}

Result<void> export_jsonl(Connection& connection, const AuditFilter& filter,
                          const std::function<Result<void>(std::string_view line)>& take) {
  Result<void> taken;
  auto read = read_audit(connection, filter, [&](const AuditRow& row) {
    taken = take(audit_json(row) + '\n');
    return taken ? Next::more : Next::stop;
  });
  if (!taken) return taken;
  return read;
}

}  // namespace store
