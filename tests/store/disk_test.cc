// SPDX-License-Identifier: Apache-2.0
// A disk that is full for a while, and one that loses its power.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sqlite3.h>
#include <thread>

#include "fault_vfs.h"
#include "opened_store.h"
#include "store/audit_read.h"

namespace store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Disk : public OpenedStore {
 protected:
  ~Disk() override { store_.reset(); }
  StoreOptions on_disk() {
    StoreOptions made = options();
    made.vfs = disk_.name();
    made.retry_after = std::chrono::hours(1);  // a test that wants it sooner says so
    return made;
  }
  std::vector<std::string> commands() {
    auto connection = Connection::open(dir_.file("store.db"), Access::read).value();
    std::vector<std::string> got;
    EXPECT_TRUE(read_audit(connection, {}, [&](const AuditRow& row) {
      got.push_back(row.entry.command.value_or(row.entry.action));
      return Next::more;
    }));
    return got;
  }

  FaultVfs disk_;
};

TEST_F(Disk, AFullDiskIsToldAndWhatWasRefusedIsWrittenInOrderLater) {
  open(on_disk());
  ASSERT_EQ(1, append(entry(1, "a")).value());
  disk_.fail_with(SQLITE_FULL);
  for (const char* command : {"b", "c"}) {
    const auto refused = append(entry(2, command));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("No space left"));
  }
  EXPECT_THAT(store_->degraded(), ElementsAre(testing::AllOf(HasSubstr("No space left on device"),
                                                             HasSubstr("2 rows of the audit wait"))));
  disk_.fail_with(0);
  EXPECT_EQ(4, append(entry(3, "d")).value());
  EXPECT_TRUE(support::wait_until([&] { return store_->degraded().empty(); }));
  close();
  EXPECT_THAT(commands(), ElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(Disk, RecoversByItselfWhenThereIsRoomAgain) {
  StoreOptions with = on_disk();
  with.retry_after = std::chrono::milliseconds(5);
  open(with);
  disk_.fail_with(SQLITE_FULL);
  ASSERT_FALSE(append(entry(1, "a")));
  EXPECT_FALSE(store_->degraded().empty());
  disk_.fail_with(0);
  EXPECT_TRUE(support::wait_until([&] { return store_->degraded().empty(); }));
  EXPECT_THAT(commands(), ElementsAre("a"));
}

TEST_F(Disk, ARecordThatWasRefusedIsNotWrittenBehindItsCallersBack) {
  open(on_disk());
  disk_.fail_with(SQLITE_IOERR_WRITE);
  const auto refused = wait_for<void>(loop_, [&](auto done) {
    store_->save(SessionRecord{"a", "n", "/", "o", {}, "", 1, {}}, std::move(done));
  });
  ASSERT_FALSE(refused);
  disk_.fail_with(0);
  ASSERT_TRUE(append(entry(1)));
  EXPECT_THAT(store_->load().value(), IsEmpty());
  EXPECT_TRUE(support::wait_until([&] { return store_->degraded().empty(); }));
}

TEST_F(Disk, EachKindOfFailureIsSurvived) {
  open(on_disk());
  int64_t seq = 0;
  for (const int code :
       {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_READONLY, SQLITE_NOMEM}) {
    ASSERT_EQ(seq + 1, append(entry(1)).value());
    disk_.fail_with(code);
    ASSERT_FALSE(append(entry(2))) << code;
    EXPECT_EQ(1U, store_->degraded().size());
    disk_.fail_with(0);
    seq = append(entry(3)).value();
  }
  EXPECT_EQ(15, seq);
  close();
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(Disk, WhatIsKeptIsBoundedAndTheTrailSaysWhatIsMissing) {
  StoreOptions with = on_disk();
  with.most_queued = 5;
  open(with);
  disk_.fail_with(SQLITE_FULL);
  for (int64_t i = 1; i <= 8; i++) ASSERT_FALSE(append(entry(i, std::to_string(i))));
  EXPECT_EQ(2U, store_->degraded().size());
  disk_.fail_with(0);
  close();
  EXPECT_THAT(commands(), ElementsAre("1", "2", "3", "4", "5", "lost"));
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(Disk, ClosingOnAFullDiskSaysWhatIsLost) {
  open(on_disk());
  ASSERT_TRUE(append(entry(1, "a")));
  disk_.fail_with(SQLITE_FULL);
  ASSERT_FALSE(append(entry(2, "b")));
  const auto closed = store_->close();
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message(), HasSubstr("1 rows of the audit are lost"));
  store_.reset();
  disk_.fail_with(0);
  EXPECT_THAT(commands(), ElementsAre("a"));
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(Disk, AFileThatIsRemovedInUseIsToldAndNothingIsAcknowledged) {
  open(on_disk());
  ASSERT_TRUE(append(entry(1)));
  std::filesystem::remove(dir_.file("store.db"));
  const auto refused = append(entry(2));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("removed or replaced"));
  EXPECT_EQ(1U, store_->degraded().size());
}

// Cuts the power at random moments of a store at work, as often as possible while it writes; each time all
// that was acknowledged before is there, in its place, and the chain is whole.
TEST_F(Disk, NoAcknowledgedRowIsLostInAPowerCut) {
  constexpr int kCuts = 60;
  StoreOptions with = on_disk();
  std::mutex mutex;
  std::map<int64_t, std::string> acknowledged;
  size_t sessions = 0;
  with.post = {};  // completions run on the store's thread: as early as can be
  open(with);
  const PublicKey key = load_public_key(dir_.file("audit.key.pub")).value();
  std::mt19937 random(std::random_device{}());
  int64_t next = 1;
  int between = 0;
  for (int cut = 0; cut < kCuts; cut++) {
    const auto more = 1 + random() % 120;
    for (unsigned i = 0; i < more; i++, next++) {
      store_->append(entry(next, "command " + std::string(random() % 3000, 'x') + std::to_string(next)),
                     [&, next](const base::Result<int64_t>& seq) {
                       const std::lock_guard lock(mutex);
                       acknowledged[seq.value()] = std::to_string(next);
                     });
    }
    store_->save(SessionRecord{std::to_string(cut), "n", "/", "o", {}, "", cut, {}},
                 [&](const base::Result<void>& saved) {
                   const std::lock_guard lock(mutex);
                   sessions += saved ? 1 : 0;
                 });
    // A random moment is the point of this, not a wait for something.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    std::map<int64_t, std::string> told;
    size_t told_sessions = 0;
    {
      const std::lock_guard lock(mutex);
      told = acknowledged;
      told_sessions = sessions;
    }
    const support::TempDir after;
    disk_.cut_power(after.path(), random);
    if (static_cast<int64_t>(told.size()) < next - 1) between++;

    StoreOptions again = options_in(after);
    again.key_path = dir_.file("audit.key");
    auto reopened = Store::open(again);
    ASSERT_TRUE(reopened) << reopened.error().message();
    EXPECT_THAT((*reopened)->degraded(), IsEmpty());
    auto connection = (*reopened)->reader().value();
    std::map<int64_t, std::string> found;
    ASSERT_TRUE(read_audit(connection, {}, [&](const AuditRow& row) {
      found[row.seq] = std::to_string(row.entry.at);
      return Next::more;
    }));
    for (const auto& [seq, command] : told) ASSERT_EQ(command, found[seq]) << "of " << told.size();
    EXPECT_GE((*reopened)->load().value().size(), told_sessions);
    const auto report = verify_audit(again.path, key).value();
    ASSERT_TRUE(report.ok) << report.problem;
  }
  std::printf("%d power cuts, %d of them with rows under way, %ld rows\n", kCuts, between, next - 1);
}

}  // namespace
}  // namespace store
