// SPDX-License-Identifier: Apache-2.0
#include "store/records.h"

#include <algorithm>

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

std::string join_words(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined.append(word).push_back('\0');
  return joined;
}

std::vector<std::string> split_words(std::string_view joined) {
  std::vector<std::string> words;
  while (!joined.empty()) {
    const size_t end = std::min(joined.find('\0'), joined.size());
    words.emplace_back(joined.substr(0, end));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
  return words;
}

Result<void> save_labels(Connection& connection, const SessionRecord& record) {
  auto clear = connection.prepare("DELETE FROM labels WHERE session = ?1");
  if (!clear) return fail(clear);
  clear->bind(1, record.id);
  if (auto done = clear->run(); !done) return done;
  auto insert = connection.prepare("INSERT INTO labels (session, name, value) VALUES (?1, ?2, ?3)");
  if (!insert) return fail(insert);
  for (const auto& [name, value] : record.labels) {
    insert->bind(1, record.id);
    insert->bind(2, name);
    insert->bind(3, value);
    if (auto done = insert->run(); !done) return done;
  }
  return {};
}

Result<void> load_labels(Connection& connection, SessionRecord& record) {
  auto select = connection.prepare("SELECT name, value FROM labels WHERE session = ?1");
  if (!select) return fail(select);
  select->bind(1, record.id);
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return {};
    record.labels.emplace(select->text(0), select->text(1));
  }
}

Result<void> load_ptys(Connection& connection, StoredSession& stored) {
  auto select = connection.prepare(
      "SELECT number, command, cwd, cols, rows, started_at, restarts, exit_code, signal, exited_at "
      "FROM ptys WHERE session = ?1 ORDER BY number");
  if (!select) return fail(select);
  select->bind(1, stored.session.id);
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return {};
    stored.ptys.push_back({stored.session.id, select->integer(0), split_words(select->view(1)),
                           select->text(2), select->integer(3), select->integer(4), select->integer(5),
                           select->integer(6), select->maybe_integer(7), select->maybe_integer(8),
                           select->maybe_integer(9)});
  }
}

}  // namespace

Result<void> save_session(Connection& connection, const SessionRecord& record) {
  auto insert = connection.prepare(
      "INSERT INTO sessions (id, name, cwd, owner, settings, created_at, ended_at) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
      "cwd = excluded.cwd, owner = excluded.owner, settings = excluded.settings, "
      "created_at = excluded.created_at, ended_at = excluded.ended_at");
  if (!insert) return fail(insert);
  insert->bind(1, record.id);
  insert->bind(2, record.name);
  insert->bind(3, record.cwd);
  insert->bind(4, record.owner);
  insert->bind(5, record.settings);
  insert->bind(6, record.created_at);
  insert->bind(7, record.ended_at);
  if (auto done = insert->run(); !done) return done;
  return save_labels(connection, record);
}

Result<void> save_pty(Connection& connection, const PtyRecord& record) {
  for (const std::string& word : record.command) {
    if (word.find('\0') != std::string::npos)
      return fail(Code::invalid_param, 0, "a command's words hold no zero byte");
  }
  auto insert = connection.prepare(
      "INSERT INTO ptys (session, number, command, cwd, cols, rows, started_at, restarts, exit_code, signal, "
      "exited_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (session, number) "
      "DO UPDATE SET command = excluded.command, cwd = excluded.cwd, cols = excluded.cols, "
      "rows = excluded.rows, started_at = excluded.started_at, restarts = excluded.restarts, "
      "exit_code = excluded.exit_code, signal = excluded.signal, exited_at = excluded.exited_at");
  if (!insert) return fail(insert);
  const std::string command = join_words(record.command);
  insert->bind(1, record.session);
  insert->bind(2, record.number);
  insert->bind(3, Blob{command});
  insert->bind(4, record.cwd);
  insert->bind(5, record.cols);
  insert->bind(6, record.rows);
  insert->bind(7, record.started_at);
  insert->bind(8, record.restarts);
  insert->bind(9, record.exit_code);
  insert->bind(10, record.signal);
  insert->bind(11, record.exited_at);
  return insert->run();
}

Result<void> remove_session(Connection& connection, std::string_view id) {
  auto remove = connection.prepare("DELETE FROM sessions WHERE id = ?1");
  if (!remove) return fail(remove);
  remove->bind(1, id);
  return remove->run();
}

Result<std::vector<StoredSession>> load_sessions(Connection& connection) {
  auto view = Transaction::begin(connection, Transaction::Kind::read);
  if (!view) return fail(view);
  auto select = connection.prepare(
      "SELECT id, name, cwd, owner, settings, created_at, ended_at FROM sessions ORDER BY created_at, id");
  if (!select) return fail(select);
  std::vector<StoredSession> sessions;
  for (;;) {
    auto row = select->step();
    if (!row) return fail(row);
    if (!*row) return sessions;
    StoredSession& stored = sessions.emplace_back();
    stored.session = {select->text(0), select->text(1),    select->text(2),         select->text(3), {},
                      select->text(4), select->integer(5), select->maybe_integer(6)};
    if (auto done = load_labels(connection, stored.session); !done) return fail(done);
    if (auto done = load_ptys(connection, stored); !done) return fail(done);
  }
}

}  // namespace store
