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
                                                             HasSubstr("wait in memory: 2"))));
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

TEST_F(Disk, StaysDegradedUntilSomethingWasReallyWritten) {
  StoreOptions with = on_disk();
  with.retry_after = std::chrono::milliseconds(1);
  with.sign_after = std::chrono::milliseconds(30);
  open(with);
  ASSERT_TRUE(append(entry(1)));  // unsigned as yet
  disk_.fail_with(SQLITE_FULL);
  ASSERT_FALSE(wait_for<void>(loop_, [&](auto done) {
    store_->save(SessionRecord{"a", "n", "/", "o", {}, "", 1, {}}, std::move(done));
  }));
  EXPECT_EQ(1U, store_->degraded().size());
  disk_.fail_with(0);
  EXPECT_TRUE(support::wait_until([&] { return store_->degraded().empty(); }));
  EXPECT_EQ(1, verify().signed_up_to);  // that was the write
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
  EXPECT_EQ(6, verify().signed_up_to);
}

TEST_F(Disk, ClosingOnAFullDiskSaysWhatIsLost) {
  open(on_disk());
  ASSERT_TRUE(append(entry(1, "a")));
  disk_.fail_with(SQLITE_FULL);
  ASSERT_FALSE(append(entry(2, "b")));
  const auto closed = store_->close();
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message(), HasSubstr("rows of the audit lost: 1"));
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

// A store at work whose completions run on its own thread: acknowledged as early as can be.
class PowerCut : public Disk {
 protected:
  struct Told {
    std::map<int64_t, int64_t> rows;  // number to time
    size_t sessions = 0;
  };

  ~PowerCut() override { store_.reset(); }
  void start() {
    StoreOptions with = on_disk();
    with.post = {};
    open(with);
  }
  void write_some(int round) {
    for (auto more = 1 + random_() % 120; more > 0; more--, next_++) {
      store_->append(entry(next_, std::string(random_() % 3000, 'x')),
                     [this, at = next_](const base::Result<int64_t>& seq) {
                       const std::lock_guard lock(mutex_);
                       told_.rows[seq.value()] = at;
                     });
    }
    store_->save(SessionRecord{std::to_string(round), "n", "/", "o", {}, "", round, {}},
                 [this](const base::Result<void>& saved) {
                   const std::lock_guard lock(mutex_);
                   told_.sessions += saved ? 1 : 0;
                 });
  }
  Told told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  // What was told before is there in its place, and the chain is whole.
  void check_after(const support::TempDir& after, const Told& before) {
    StoreOptions again = options_in(after);
    again.key_path = dir_.file("audit.key");
    auto reopened = Store::open(again);
    ASSERT_TRUE(reopened) << reopened.error().message();
    EXPECT_THAT((*reopened)->degraded(), IsEmpty());
    auto connection = (*reopened)->reader().value();
    std::map<int64_t, int64_t> found;
    ASSERT_TRUE(read_audit(connection, {}, [&](const AuditRow& row) {
      found[row.seq] = row.entry.at;
      return Next::more;
    }));
    for (const auto& [seq, at] : before.rows) ASSERT_EQ(at, found[seq]) << "of " << before.rows.size();
    EXPECT_GE((*reopened)->load().value().size(), before.sessions);
    const auto report = verify_audit(again.path, load_public_key(again.key_path + ".pub").value()).value();
    ASSERT_TRUE(report.ok) << report.problem;
  }

  std::mt19937 random_{std::random_device{}()};
  int64_t next_ = 1;
  std::mutex mutex_;
  Told told_;
};

TEST_F(PowerCut, LosesNothingThatWasAcknowledgedAndLeavesAWholeChain) {
  constexpr int kCuts = 60;
  start();
  int under_way = 0;
  for (int cut = 0; cut < kCuts && !HasFatalFailure(); cut++) {
    write_some(cut);
    // A random moment is the point of this, not a wait for something.
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 3000));
    const Told before = told();
    const support::TempDir after;
    disk_.cut_power(after.path(), random_);
    if (static_cast<int64_t>(before.rows.size()) < next_ - 1) under_way++;
    check_after(after, before);
  }
  std::printf("%d power cuts, %d of them with rows under way, %ld rows\n", kCuts, under_way, next_ - 1);
}

}  // namespace
}  // namespace store
