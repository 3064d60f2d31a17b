// SPDX-License-Identifier: Apache-2.0
#include "store/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "opened_store.h"
#include "store/audit_read.h"
#include "support/json.h"

namespace store {
namespace {

using testing::HasSubstr;

class Archive : public OpenedStore {
 protected:
  ArchiveReport archive(int64_t before) {
    auto report =
        wait_for<ArchiveReport>(loop_, [&](auto done) { store_->archive(before, std::move(done)); });
    EXPECT_TRUE(report) << report.error().message();
    return report.value_or(ArchiveReport{});
  }
  static std::vector<support::Json> lines(const std::string& file) {
    std::vector<support::Json> parsed;
    std::istringstream text(support::read_file(file));
    for (std::string line; std::getline(text, line);) parsed.push_back(support::Json::parse(line));
    return parsed;
  }
};

TEST_F(Archive, MovesOldRowsIntoAFileAndTheChainStaysWhole) {
  open();
  append_many(1, 2500);
  const ArchiveReport report = archive(1201);
  EXPECT_EQ(1200, report.rows);
  EXPECT_EQ(dir_.file("archive/audit-1-1200.jsonl"), report.file);
  EXPECT_FALSE(report.more);
  const auto archived = lines(report.file);
  ASSERT_EQ(1201U, archived.size());
  EXPECT_EQ(1, archived.front()["seq"].integer());
  EXPECT_EQ(1200, archived[1199]["seq"].integer());
  EXPECT_EQ(archived[1199]["hash"].string(), archived[1200]["start"]["hash"].string());
  EXPECT_EQ(0600, static_cast<int>(std::filesystem::status(report.file).permissions()));

  const VerifyReport live = verify();
  EXPECT_TRUE(live.ok) << live.problem;
  EXPECT_EQ(1201, live.first_seq);
  EXPECT_EQ(1300, live.rows);
  ASSERT_EQ(2501, append(entry(2501)).value());
  close();
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(Archive, CanBeDoneAgainAndDownToTheLastRow) {
  open();
  append_many(1, 2500);
  archive(1201);
  EXPECT_EQ(dir_.file("archive/audit-1201-2100.jsonl"), archive(2101).file);
  EXPECT_TRUE(verify().ok) << verify().problem;
  EXPECT_EQ(400, archive(9999).rows);
  VerifyReport report = verify();
  EXPECT_TRUE(report.ok) << report.problem;
  EXPECT_EQ(0, report.rows);
  EXPECT_EQ(2500, report.signed_up_to);
  EXPECT_EQ(0, archive(9999).rows);
  ASSERT_EQ(2501, append(entry(2501)).value());
  EXPECT_EQ(2501, wait_for<AuditHead>(loop_, [&](auto done) { store_->head(std::move(done)); })->head.seq);
  close();
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(Archive, StopsAtTheFirstRowThatIsNotOld) {
  open();
  for (const int64_t at : {1, 2, 100, 3}) ASSERT_TRUE(append(entry(at)));
  EXPECT_EQ(2, archive(50).last_seq);
}

TEST_F(Archive, ARowTakenFromTheFrontAfterwardsIsStillFound) {
  open();
  append_many(1, 100);
  archive(51);
  close();
  tamper("DELETE FROM audit WHERE seq = 51");
  const VerifyReport report = verify();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(51, report.bad_seq.value_or(-1)) << report.problem;
}

TEST_F(Archive, AStartThatNobodySignedIsFound) {
  open();
  append_many(1, 2500);
  archive(51);
  close();
  // As if the head of row 1000 had been a start.
  tamper(
      "DELETE FROM audit WHERE seq <= 1000; UPDATE audit_start SET (heads, seq, at, hash, signature) = "
      "(SELECT number, seq, at, hash, signature FROM audit_heads WHERE number = 1);"
      "DELETE FROM audit_heads WHERE number = 1");
  EXPECT_THAT(verify().problem, HasSubstr("were archived is not signed"));
  tamper("DELETE FROM audit_start");
  EXPECT_FALSE(verify().ok);
}

TEST_F(Archive, NeverWritesOverAFileThatIsThere) {
  std::filesystem::create_directory(dir_.file("archive"));
  std::filesystem::permissions(dir_.file("archive"), std::filesystem::perms(0700));
  support::write_file(dir_.file("archive/audit-1-3.jsonl"), "old");
  open();
  append_many(1, 5);
  EXPECT_EQ(dir_.file("archive/audit-1-3-2.jsonl"), archive(4).file);
  EXPECT_EQ("old", support::read_file(dir_.file("archive/audit-1-3.jsonl")));
}

TEST_F(Archive, AnArchiveThatCannotBeWrittenTakesNothingOutOfTheTable) {
  support::write_file(dir_.file("archive"), "a file in the folder's place");
  open();
  append_many(1, 5);
  EXPECT_FALSE(wait_for<ArchiveReport>(loop_, [&](auto done) { store_->archive(4, std::move(done)); }));
  EXPECT_EQ(5, verify().rows);
  EXPECT_EQ(6, append(entry(6)).value());
}

TEST_F(Archive, TakesAManageablePartAtATime) {
  open();
  append_many(1, kMostArchived + 10);
  const ArchiveReport first = archive(INT64_MAX);
  EXPECT_EQ(kMostArchived, first.rows);
  EXPECT_TRUE(first.more);
  const ArchiveReport second = archive(INT64_MAX);
  EXPECT_EQ(10, second.rows);
  EXPECT_FALSE(second.more);
  EXPECT_TRUE(verify().ok) << verify().problem;
}

}  // namespace
}  // namespace store
