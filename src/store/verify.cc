// SPDX-License-Identifier: Apache-2.0
#include "store/verify.h"

#include <fmt/core.h>

#include "store/chain.h"
#include "store/database.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr int64_t kProgressRows = 10'000;

// Goes once through rows and heads side by side. Each check says whether to go on; the first that does not
// fills the report.
class Verifier {
 public:
  Verifier(Connection& connection, const PublicKey& key, const VerifyOptions& options)
      : connection_(connection), key_(key), options_(options) {}

  Result<VerifyReport> run() {
    auto good = check();
    if (is_stopped_) return fail(good);
    // Whatever cannot be read is not as it was written.
    if (!good) bad(next_seq(), fmt::format("the audit cannot be read: {}", good.error().message()));
    report_.ok = report_.problem.empty();
    return report_;
  }

 private:
  int64_t next_seq() const { return seq_ + 1; }

  bool bad(int64_t seq, std::string problem) {
    report_.bad_seq = seq;
    report_.problem = std::move(problem);
    return false;
  }

  bool missing(int64_t first, int64_t last, std::string_view where) {
    if (first == last) return bad(first, fmt::format("row {} is missing{}", first, where));
    return bad(first, fmt::format("rows {} to {} are missing{}", first, last, where));
  }

  Result<bool> check() {
    auto view = Transaction::begin(connection_, Transaction::Kind::read);
    if (!view) return fail(view);
    auto begun = check_start();
    if (!begun || !*begun) return begun;
    auto rows = check_rows();
    if (!rows || !*rows) return rows;
    auto ended = check_end();
    if (!ended || !*ended) return ended;
    return check_anchor_end();
  }

  Result<bool> check_start() {
    auto state = read_state(connection_);
    if (!state) return fail(state);
    state_ = *state;
    auto start = read_start(connection_);
    if (!start) return fail(start);
    if (!*start) return true;
    const SignedStart& is = **start;
    if (!is_signed_by(key_, signed_text(is), is.signature))
      return bad(is.seq + 1, fmt::format("the record that rows up to {} were archived is not signed by this "
                                         "key",
                                         is.seq));
    start_seq_ = seq_ = report_.signed_up_to = is.seq;
    hash_ = is.hash;
    heads_ = is.heads;
    return check_anchor();
  }

  Result<bool> check_rows() {
    auto rows = connection_.prepare(fmt::format("SELECT {} FROM audit ORDER BY seq", kAuditColumns));
    if (!rows) return fail(rows);
    auto heads =
        connection_.prepare("SELECT number, seq, at, hash, signature FROM audit_heads ORDER BY number");
    if (!heads) return fail(heads);
    if (auto head = next_head(*heads); !head || !*head) return head;
    for (;;) {
      auto there = rows->step();
      if (!there) return fail(there);
      if (!*there) return true;
      auto row = read_row(*rows);
      if (!row) return bad(next_seq(), row.error().what);
      if (!check_row(*row)) return false;
      if (head_ && head_->seq == seq_) {
        if (head_->hash != hash_)
          return bad(seq_, fmt::format("row {} is not the one that was signed: its hash differs from that of "
                                       "head {}",
                                       seq_, head_->number));
        report_.signed_up_to = seq_;
        if (auto head = next_head(*heads); !head || !*head) return head;
      }
      if (report_.rows % kProgressRows == 0 && options_.on_progress &&
          options_.on_progress(report_.rows) == Next::stop) {
        is_stopped_ = true;
        return fail(Code::internal, 0, "stopped before the end");
      }
    }
  }

  bool check_row(const AuditRow& row) {
    // By the table's key they come in order, each once.
    if (row.seq <= seq_)
      return bad(row.seq, fmt::format("row {} stands before where the audit starts", row.seq));
    if (row.seq != next_seq()) return missing(next_seq(), row.seq - 1, "");
    if (hasher_.hash(hash_, row.seq, row.entry) != row.hash)
      return bad(row.seq, fmt::format("row {} is not what was written: its hash does not fit", row.seq));
    seq_ = row.seq;
    hash_ = row.hash;
    if (report_.rows++ == 0) report_.first_seq = seq_;
    report_.last_seq = seq_;
    return check_anchor();
  }

  // Moves on to the next head, if there is one.
  Result<bool> next_head(Statement& heads) {
    auto there = heads.step();
    if (!there) return fail(there);
    const int64_t last = head_ ? head_->seq : start_seq_;
    head_.reset();
    if (!*there) return true;
    auto head = read_head(heads);
    if (!head) return bad(heads.integer(1), head.error().what);
    if (head->number != heads_ + 1)
      return bad(next_seq(),
                 fmt::format("head {} is missing, which signed a row after {}", heads_ + 1, last));
    if (head->seq <= last || !is_signed_by(key_, signed_text(*head), head->signature))
      return bad(head->seq,
                 fmt::format("head {}, of row {}, is not signed by this key", head->number, head->seq));
    heads_ = head->number;
    head_ = *head;
    return true;
  }

  Result<bool> check_end() {
    if (head_) return missing(next_seq(), head_->seq, " at the end: a signed head names them");
    if (state_.seq > seq_) return missing(next_seq(), state_.seq, " at the end");
    if (state_.seq < seq_)
      return bad(state_.seq + 1, fmt::format("row {} was added by somebody else: the audit's own record ends "
                                             "before it",
                                             state_.seq + 1));
    if (state_.hash != hash_)
      return bad(seq_, fmt::format("the audit's own record of its end differs from row {}", seq_));
    if (state_.heads != heads_)
      return bad(report_.signed_up_to + 1, fmt::format("head {} is missing, which signed a row after {}",
                                                       heads_ + 1, report_.signed_up_to));
    if (seq_ - report_.signed_up_to > kMostUnsigned)
      return bad(report_.signed_up_to + 1, fmt::format("rows {} to {} are not signed, though every {}th is",
                                                       report_.signed_up_to + 1, seq_, kMostUnsigned));
    return true;
  }

  bool check_anchor() {
    if (!options_.anchor || options_.anchor->seq != seq_) return true;
    anchor_seen_ = true;
    return options_.anchor->hash == hash_ ||
           bad(seq_, fmt::format("row {} is not the one that was anchored: its hash differs", seq_));
  }

  bool check_anchor_end() {
    if (!options_.anchor || anchor_seen_) return true;
    const int64_t seq = options_.anchor->seq;
    if (seq > seq_) return missing(next_seq(), seq, ": the last of them was anchored");
    return bad(seq, fmt::format("row {}, which was anchored, is archived: look for its hash there", seq));
  }

  Connection& connection_;
  const PublicKey& key_;
  const VerifyOptions& options_;
  VerifyReport report_;
  RowHasher hasher_;
  ChainState state_;
  int64_t start_seq_ = 0;
  int64_t seq_ = 0;  // of the last good row
  Hash hash_{};
  int64_t heads_ = 0;               // the last good head's number
  std::optional<SignedHead> head_;  // the next one on the way
  bool anchor_seen_ = false;
  bool is_stopped_ = false;
};

}  // namespace

Result<VerifyReport> verify_audit(const std::string& path, const PublicKey& key,
                                  const VerifyOptions& options) {
  auto connection = Connection::open(path, Access::read);
  if (!connection) return fail(connection);
  return Verifier(*connection, key, options).run();
}

}  // namespace store
