// SPDX-License-Identifier: Apache-2.0
#include "store/audit.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <openssl/evp.h>

namespace store {

using base::Code;
using base::fail;
using base::Result;

const std::string_view kAuditColumns =
    "seq, at, session, pty, action, agent, channel, command, bytes, secret, count, until, prompt_id, "
    "screen_hash, journal_offset, result, summary, evidence_id, hash";

namespace {

constexpr std::string_view kDomain = "tend audit row 1";

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}
  void put(int64_t value) {
    out_ += '\x01';
    put_word(static_cast<uint64_t>(value));
  }
  void put(std::string_view bytes) {
    out_ += '\x02';
    put_word(bytes.size());
    out_ += bytes;
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    if (value)
      put(*value);
    else
      out_ += '\0';
  }

 private:
  void put_word(uint64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) out_ += static_cast<char>(value >> shift & 0xff);
  }
  std::string& out_;
};

}  // namespace

void RowHasher::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }
void RowHasher::Free::operator()(evp_md_st* digest) const { EVP_MD_free(digest); }

RowHasher::RowHasher() : digest_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
  // Only without memory, or with an OpenSSL that has no SHA-256.
  if (digest_ == nullptr || context_ == nullptr) std::abort();
}

Hash RowHasher::hash(const Hash& previous, int64_t seq, const AuditEntry& entry) {
  buffer_.clear();
  Encoder encoder(buffer_);
  encoder.put(kDomain);
  encoder.put(as_blob(previous).bytes);
  encoder.put(seq);
  encoder.put(entry.at);
  encoder.put(entry.session);
  encoder.put(entry.pty);
  encoder.put(entry.action);
  encoder.put(entry.agent);
  encoder.put(entry.channel);
  encoder.put(entry.command);
  encoder.put(entry.bytes);
  encoder.put(static_cast<int64_t>(entry.secret));
  encoder.put(entry.count);
  encoder.put(entry.until);
  encoder.put(entry.prompt_id);
  encoder.put(entry.screen_hash);
  encoder.put(entry.journal_offset);
  encoder.put(entry.result);
  encoder.put(entry.summary);
  encoder.put(entry.evidence_id);

  Hash hash{};
  if (EVP_DigestInit_ex2(context_.get(), digest_.get(), nullptr) != 1 ||
      EVP_DigestUpdate(context_.get(), buffer_.data(), buffer_.size()) != 1 ||
      EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr) != 1)
    std::abort();
  return hash;
}

void bind_row(Statement& insert, int64_t seq, const AuditEntry& entry, const Hash& hash) {
  insert.bind(1, seq);
  insert.bind(2, entry.at);
  insert.bind(3, entry.session);
  insert.bind(4, entry.pty);
  insert.bind(5, entry.action);
  insert.bind(6, entry.agent);
  insert.bind(7, entry.channel);
  insert.bind(8, entry.command);
  if (entry.bytes) insert.bind(9, Blob{*entry.bytes});
  insert.bind(10, static_cast<int64_t>(entry.secret));
  insert.bind(11, entry.count);
  insert.bind(12, entry.until);
  insert.bind(13, entry.prompt_id);
  insert.bind(14, entry.screen_hash);
  insert.bind(15, entry.journal_offset);
  insert.bind(16, entry.result);
  insert.bind(17, entry.summary);
  insert.bind(18, entry.evidence_id);
  insert.bind(19, as_blob(hash));
}

std::optional<Hash> read_hash(const Statement& select, int column) {
  const std::string_view bytes = select.view(column);
  Hash hash{};
  if (bytes.size() != hash.size()) return {};
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

Result<AuditRow> read_row(const Statement& select) {
  AuditRow row;
  row.seq = select.integer(0);
  AuditEntry& entry = row.entry;
  entry.at = select.integer(1);
  entry.session = select.text(2);
  entry.pty = select.maybe_integer(3);
  entry.action = select.text(4);
  entry.agent = select.text(5);
  entry.channel = select.text(6);
  entry.command = select.maybe_text(7);
  entry.bytes = select.maybe_text(8);
  if (select.integer(9) != 0 && select.integer(9) != 1)
    return fail(Code::internal, 0, "row " + std::to_string(row.seq) + " has a field that no row can have");
  entry.secret = select.integer(9) == 1;
  entry.count = select.integer(10);
  entry.until = select.maybe_integer(11);
  entry.prompt_id = select.maybe_text(12);
  entry.screen_hash = select.maybe_text(13);
  entry.journal_offset = select.maybe_integer(14);
  entry.result = select.text(15);
  entry.summary = select.text(16);
  entry.evidence_id = select.maybe_text(17);
  const auto hash = read_hash(select, 18);
  if (!hash) return fail(Code::internal, 0, "row " + std::to_string(row.seq) + " has no whole hash");
  row.hash = *hash;
  return row;
}

}  // namespace store
