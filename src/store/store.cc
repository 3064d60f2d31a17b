// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <chrono>
#include <openssl/crypto.h>
#include <utility>

#include "store/writer.h"

namespace store {

using base::fail;
using base::Result;

namespace {

constexpr size_t kJobBytes = 256;  // about what a job, or a text in it, costs beside its letters

size_t size_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

size_t size_of(const AuditEntry& entry) {
  return sizeof entry + entry.session.size() + entry.action.size() + entry.agent.size() +
         entry.channel.size() + size_of(entry.command) + size_of(entry.bytes) + size_of(entry.prompt_id) +
         size_of(entry.screen_hash) + entry.result.size() + entry.summary.size() + size_of(entry.evidence_id);
}

size_t size_of(const SessionRecord& record) {
  size_t size = sizeof record + record.name.size() + record.cwd.size() + record.settings.size();
  for (const auto& [name, value] : record.labels) size += name.size() + value.size() + kJobBytes;
  return size;
}

size_t size_of(const PtyRecord& record) {
  size_t size = sizeof record + record.cwd.size();
  for (const std::string& word : record.command) size += word.size() + kJobBytes;
  return size;
}

}  // namespace

int64_t wall_now() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  return duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Store::Store(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(StoreOptions options) {
  auto writer = Writer::open(std::move(options));
  if (!writer) return fail(writer);
  return std::unique_ptr<Store>(new Store(std::move(*writer)));
}

void Store::save(SessionRecord record, Completion<void> done) {
  const size_t size = size_of(record);
  writer_->push(Writer::Record{[record = std::move(record)](Connection& connection) {
                                 return save_session(connection, record);
                               },
                               std::move(done), true},
                size);
}

void Store::save(PtyRecord record, Completion<void> done) {
  const size_t size = size_of(record);
  writer_->push(Writer::Record{[record = std::move(record)](Connection& connection) {
                                 return save_pty(connection, record);
                               },
                               std::move(done), true},
                size);
}

void Store::remove_session(std::string id, Completion<void> done) {
  write([id = std::move(id)](Connection& connection) { return store::remove_session(connection, id); },
        std::move(done));
}

void Store::append(AuditEntry entry, Completion<int64_t> done) {
  if (entry.secret) {
    if (entry.bytes) OPENSSL_cleanse(entry.bytes->data(), entry.bytes->size());
    entry.bytes = "secret";
  }
  const size_t size = size_of(entry);
  writer_->push(Writer::Row{std::move(entry), std::move(done)}, size);
}

void Store::head(Completion<AuditHead> done) { writer_->push(Writer::Head{std::move(done)}, kJobBytes); }

void Store::archive(int64_t before, Completion<ArchiveReport> done) {
  writer_->push(Writer::Archive{before, std::move(done)}, kJobBytes);
}

void Store::write(std::function<Result<void>(Connection&)> work, Completion<void> done, size_t bytes) {
  writer_->push(Writer::Record{std::move(work), std::move(done), true}, kJobBytes + bytes);
}

void Store::write_unsynced(std::function<Result<void>(Connection&)> work, Completion<void> done,
                           size_t bytes) {
  writer_->push(Writer::Record{std::move(work), std::move(done), false}, kJobBytes + bytes);
}

Result<std::vector<StoredSession>> Store::load() const {
  auto connection = reader();
  if (!connection) return fail(connection);
  return load_sessions(*connection);
}

Result<Connection> Store::reader() const {
  return Connection::open(writer_->options().path, Access::read, writer_->options().vfs);
}

std::vector<std::string> Store::degraded() const { return writer_->degraded(); }

Result<void> Store::close() { return writer_->close(); }

}  // namespace store
