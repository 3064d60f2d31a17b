// SPDX-License-Identifier: Apache-2.0
#include "store/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "opened_store.h"

namespace store {
namespace {

using testing::HasSubstr;

class Verify : public OpenedStore {
 protected:
  void expect_bad(int64_t seq, const std::string& words) {
    const VerifyReport report = verify();
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(seq, report.bad_seq.value_or(-1)) << report.problem;
    EXPECT_THAT(report.problem, HasSubstr(words));
  }
};

TEST_F(Verify, AcceptsWhatTheStoreWrote) {
  make_rows(2500);
  const VerifyReport report = verify();
  EXPECT_TRUE(report.ok) << report.problem;
  EXPECT_EQ(2500, report.rows);
  EXPECT_EQ(1, report.first_seq);
  EXPECT_EQ(2500, report.last_seq);
  EXPECT_EQ(2500, report.signed_up_to);
  EXPECT_FALSE(report.bad_seq);
}

TEST_F(Verify, AcceptsAnEmptyAudit) {
  open();
  close();
  EXPECT_TRUE(verify().ok);
}

TEST_F(Verify, NamesTheRowWhateverFieldWasChanged) {
  make_rows(20);
  const std::vector<std::string> changes = {
      "at = at + 1",        "session = 's2'",    "pty = NULL",         "pty = 1",
      "action = 'read'",    "agent = 'someone'", "channel = 'cli'",    "command = 'rm -r'",
      "command = NULL",     "command = ''",      "bytes = x'00'",      "bytes = x''",
      "secret = 1",         "secret = 2",        "count = 2",          "until = 5",
      "prompt_id = 'p'",    "screen_hash = 'h'", "journal_offset = 0", "result = 'INTERNAL'",
      "summary = 'exit 1'", "evidence_id = 'e'", "evidence_id = ''",   "hash = zeroblob(32)",
      "hash = zeroblob(31)"};
  for (const std::string& change : changes) {
    tamper("CREATE TABLE saved AS SELECT * FROM audit WHERE seq = 7; UPDATE audit SET " + change +
           " WHERE seq = 7");
    SCOPED_TRACE(change);
    expect_bad(7, "row 7");
    tamper("DELETE FROM audit WHERE seq = 7; INSERT INTO audit SELECT * FROM saved; DROP TABLE saved");
    ASSERT_TRUE(verify().ok);
  }
}

TEST_F(Verify, FindsARowThatWasTakenOutOfTheMiddle) {
  make_rows(20);
  tamper("DELETE FROM audit WHERE seq = 9");
  expect_bad(9, "row 9 is missing");
}

TEST_F(Verify, FindsAHoleThatWasClosedByRenumbering) {
  make_rows(20);
  tamper("DELETE FROM audit WHERE seq = 9; UPDATE audit SET seq = seq - 1 WHERE seq > 9");
  expect_bad(9, "row 9");
}

TEST_F(Verify, FindsRowsTakenFromTheFront) {
  make_rows(20);
  tamper("DELETE FROM audit WHERE seq <= 3");
  expect_bad(1, "rows 1 to 3 are missing");
}

TEST_F(Verify, FindsRowsThatChangedPlaces) {
  make_rows(20);
  tamper(
      "UPDATE audit SET seq = -1 WHERE seq = 5; UPDATE audit SET seq = 5 WHERE seq = 6;"
      "UPDATE audit SET seq = 6 WHERE seq = -1");
  expect_bad(5, "row 5");
}

TEST_F(Verify, FindsACutTail) {
  make_rows(20);
  tamper("DELETE FROM audit WHERE seq > 15");
  expect_bad(16, "rows 16 to 20 are missing at the end");
}

TEST_F(Verify, FindsACutTailThatIsNotSignedYet) {
  open();
  append_many(1, 20);
  tamper("DELETE FROM audit WHERE seq = 20");
  expect_bad(20, "row 20 is missing at the end");
}

TEST_F(Verify, FindsACutTailWhoseStateWasAdjusted) {
  make_rows(20);
  tamper(
      "DELETE FROM audit WHERE seq > 15;"
      "UPDATE audit_state SET seq = 15, hash = (SELECT hash FROM audit WHERE seq = 15)");
  expect_bad(16, "a signed head names them");
}

TEST_F(Verify, FindsARowThatWasAdded) {
  make_rows(20);
  tamper(
      "INSERT INTO audit SELECT 21, at, session, pty, action, agent, channel, command, bytes, secret, count, "
      "until, prompt_id, screen_hash, journal_offset, result, summary, evidence_id, hash FROM audit "
      "WHERE seq = 20");
  expect_bad(21, "row 21");
}

TEST_F(Verify, FindsAStateThatDisagrees) {
  make_rows(20);
  tamper("UPDATE audit_state SET hash = zeroblob(32)");
  expect_bad(20, "differs from row 20");
  tamper("DELETE FROM audit_state");
  EXPECT_FALSE(verify().ok);
}

TEST_F(Verify, FindsAChangedSignature) {
  make_rows(1500);
  tamper("UPDATE audit_heads SET signature = zeroblob(64) WHERE number = 1");
  expect_bad(1000, "head 1, of row 1000, is not signed by this key");
}

TEST_F(Verify, FindsASignatureOfAnotherKey) {
  make_rows(1500);
  const support::TempDir other;
  const SigningKey forger = SigningKey::load_or_make(other.file("key")).value();
  auto connection = Connection::open(dir_.file("store.db"), Access::write).value();
  SignedHead head = read_last_head(connection).value().value();
  head.signature = forger.sign(signed_text(head)).value();
  auto update = connection.prepare("UPDATE audit_heads SET signature = ?1 WHERE number = ?2").value();
  update.bind(1, Blob{{reinterpret_cast<const char*>(head.signature.data()), head.signature.size()}});
  update.bind(2, head.number);
  ASSERT_TRUE(update.run());
  expect_bad(1500, "head 2, of row 1500, is not signed by this key");
}

TEST_F(Verify, FindsARemovedHead) {
  make_rows(2500);
  tamper("CREATE TABLE saved AS SELECT * FROM audit_heads; DELETE FROM audit_heads WHERE number = 1");
  EXPECT_THAT(verify().problem, HasSubstr("head 1 is missing"));
  tamper(
      "INSERT INTO audit_heads SELECT * FROM saved WHERE number = 1; DELETE FROM audit_heads WHERE number = "
      "3");
  EXPECT_THAT(verify().problem, HasSubstr("head 3 is missing"));
  tamper("DELETE FROM audit_heads; UPDATE audit_state SET heads = 0");
  expect_bad(1, "rows 1 to 2500 are not signed");
}

TEST_F(Verify, FindsARewrittenTrailByItsHead) {
  make_rows(5);
  // All hashes are made anew, as anyone can; the signature is what stays.
  auto connection = Connection::open(dir_.file("store.db"), Access::write).value();
  std::vector<AuditRow> rows;
  ASSERT_TRUE(read_audit(connection, {}, [&](const AuditRow& row) {
    rows.push_back(row);
    return Next::more;
  }));
  rows[1].entry.command = "innocent";
  RowHasher hasher;
  Hash last{};
  for (AuditRow& row : rows) {
    last = hasher.hash(last, row.seq, row.entry);
    auto update = connection.prepare("UPDATE audit SET command = ?1, hash = ?2 WHERE seq = ?3").value();
    update.bind(1, row.entry.command);
    update.bind(2, as_blob(last));
    update.bind(3, row.seq);
    ASSERT_TRUE(update.run());
  }
  auto update = connection.prepare("UPDATE audit_state SET hash = ?1").value();
  update.bind(1, as_blob(last));
  ASSERT_TRUE(update.run());
  expect_bad(5, "row 5 is not the one that was signed");
}

TEST_F(Verify, FindsAnEarlierStateThatWasPutBackByItsAnchor) {
  make_rows(10);
  const std::string early = support::read_file(dir_.file("store.db"));
  open();
  append_many(11, 10);
  const AuditHead head =
      wait_for<AuditHead>(loop_, [&](auto done) { store_->head(std::move(done)); }).value();
  EXPECT_EQ(20, head.head.seq);
  close();
  VerifyOptions options;
  options.anchor = Anchor{head.head.seq, head.head.hash};
  EXPECT_TRUE(verify(options).ok);
  support::write_file(dir_.file("store.db"), early);
  EXPECT_TRUE(verify().ok);
  const VerifyReport report = verify(options);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(11, report.bad_seq.value_or(-1)) << report.problem;
}

TEST_F(Verify, ReadsOnWhileTheStoreWrites) {
  open();
  append_many(1, 3000);
  std::atomic<bool> done = false;
  std::thread reader([&] {
    do {
      const VerifyReport report = verify();
      EXPECT_TRUE(report.ok) << report.problem;
      EXPECT_GE(report.rows, 3000);
    } while (!done);
  });
  for (int i = 0; i < 50; i++) append_many(3001 + i * 10, 10);
  done = true;
  reader.join();
}

TEST_F(Verify, TellsItsProgressAndCanBeStopped) {
  make_rows(25'000);
  VerifyOptions options;
  std::vector<int64_t> told;
  options.on_progress = [&](int64_t rows) {
    told.push_back(rows);
    return Next::more;
  };
  EXPECT_TRUE(verify(options).ok);
  EXPECT_EQ((std::vector<int64_t>{10'000, 20'000}), told);
  options.on_progress = [](int64_t) { return Next::stop; };
  EXPECT_THAT(verify(options).problem, HasSubstr("stopped"));
}

TEST_F(Verify, SaysThatADamagedFileCannotBeRead) {
  make_rows(5000);
  std::string bytes = support::read_file(dir_.file("store.db"));
  // From the second page on: the header and the list of tables stay whole.
  for (size_t at = bytes.size() / 2; at < bytes.size(); at++) bytes[at] = static_cast<char>(at * 7);
  support::write_file(dir_.file("store.db"), bytes);
  EXPECT_FALSE(verify().ok);
}

}  // namespace
}  // namespace store
