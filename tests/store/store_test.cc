// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>

#include "base/ids.h"
#include "opened_store.h"
#include "store/audit_read.h"

namespace store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public OpenedStore {
 protected:
  base::Result<void> save(auto record) {
    return wait_for<void>(loop_, [&](auto done) { store_->save(std::move(record), std::move(done)); });
  }
  std::vector<AuditRow> rows(const AuditFilter& filter = {}) {
    auto connection = store_->reader();
    std::vector<AuditRow> got;
    EXPECT_TRUE(connection && read_audit(*connection, filter, [&](const AuditRow& row) {
                  got.push_back(row);
                  return Next::more;
                }));
    return got;
  }
  std::vector<int64_t> numbers(const AuditFilter& filter) {
    std::vector<int64_t> got;
    for (const AuditRow& row : rows(filter)) got.push_back(row.seq);
    return got;
  }
};

SessionRecord session(const std::string& id) {
  return {id, "work", "/home/a", "ann", {{"team", "blue"}, {"empty", ""}}, "session:\n  x: 1\n", 1000, {}};
}
PtyRecord pty(const std::string& id, int64_t number) {
  return {id, number, {"bash", "-c", "", "echo 'ä'"}, "/tmp", 80, 24, 2000, 0, {}, {}, {}};
}

TEST_F(StoreTest, GivesSessionsAndTheirPtysBackAfterARestart) {
  const std::string id = base::new_id();
  open();
  ASSERT_TRUE(save(session(id)));
  ASSERT_TRUE(save(pty(id, 1)));
  ASSERT_TRUE(save(pty(id, 0)));
  close();
  open();
  EXPECT_THAT(store_->load().value(), ElementsAre(StoredSession{session(id), {pty(id, 0), pty(id, 1)}}));
}

TEST_F(StoreTest, SavingAgainChangesTheRecord) {
  open();
  ASSERT_TRUE(save(session("a")));
  ASSERT_TRUE(save(pty("a", 0)));
  SessionRecord changed = session("a");
  changed.name = "play";
  changed.labels = {{"only", "one"}};
  changed.ended_at = 5000;
  PtyRecord ended = pty("a", 0);
  ended.restarts = 2;
  ended.signal = 9;
  ended.exited_at = 4000;
  ASSERT_TRUE(save(changed));
  ASSERT_TRUE(save(ended));
  EXPECT_THAT(store_->load().value(), ElementsAre(StoredSession{changed, {ended}}));
}

TEST_F(StoreTest, RemovingASessionRemovesItsPtysAndNoOther) {
  open();
  for (const char* id : {"a", "b"}) {
    ASSERT_TRUE(save(session(id)));
    ASSERT_TRUE(save(pty(id, 0)));
  }
  ASSERT_TRUE(append(entry(1)));
  ASSERT_TRUE(wait_for<void>(loop_, [&](auto done) { store_->remove_session("a", std::move(done)); }));
  EXPECT_THAT(store_->load().value(), ElementsAre(StoredSession{session("b"), {pty("b", 0)}}));
  EXPECT_EQ(1U, rows().size());
}

TEST_F(StoreTest, ARecordThatCannotBeFailsAloneAndTheRestOfItsBatchIsWritten) {
  open();
  std::optional<base::Result<void>> orphan;
  store_->append(entry(1));
  store_->save(session("a"));
  store_->save(pty("nobody", 0), [&](base::Result<void> result) { orphan = std::move(result); });
  ASSERT_EQ(2, append(entry(2)).value());
  ASSERT_TRUE(orphan);
  EXPECT_FALSE(*orphan);
  EXPECT_EQ(1U, store_->load().value().size());
  EXPECT_THAT(store_->degraded(), IsEmpty());
}

TEST_F(StoreTest, CompletionsComeInTheOrderOfTheCallsAndOnlyThroughPost) {
  open();
  std::vector<int64_t> seen;
  const auto here = std::this_thread::get_id();
  for (int64_t i = 1; i <= 500; i++) {
    store_->append(entry(i), [&](base::Result<int64_t> seq) {
      EXPECT_EQ(here, std::this_thread::get_id());
      seen.push_back(seq.value());
    });
  }
  ASSERT_TRUE(loop_.run_until([&] { return seen.size() == 500; }));
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(500, seen.back());
}

TEST_F(StoreTest, KeepsEveryFieldOfAnEntry) {
  AuditEntry full = entry(42);
  full.bytes = std::string("a\0b\xff", 4);
  full.count = 3;
  full.until = 43;
  full.prompt_id = "p1";
  full.screen_hash = "abc";
  full.journal_offset = 1LL << 40;
  full.result = "PTY_TIMEOUT";
  full.evidence_id = "";
  open();
  ASSERT_TRUE(append(full));
  ASSERT_EQ(1U, rows().size());
  EXPECT_EQ(full, rows()[0].entry);
}

TEST_F(StoreTest, OfASecretOnlyTheWordIsWritten) {
  AuditEntry secret = entry(1);
  secret.bytes = "hunter2hunter2hunter2";
  secret.secret = true;
  open();
  ASSERT_TRUE(append(secret));
  EXPECT_EQ("secret", rows()[0].entry.bytes.value());
  close();
  EXPECT_THAT(support::read_file(dir_.file("store.db")), testing::Not(HasSubstr("hunter2")));
}

TEST_F(StoreTest, NumbersGoOnAfterARestart) {
  make_rows(5);
  open();
  EXPECT_EQ(6, append(entry(6)).value());
  close();
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(StoreTest, FiltersAndOrdersWhatIsRead) {
  open();
  append_many(10, 9);  // rows 1 to 9
  AuditEntry other = entry(100);
  other.session = "s2";
  other.action = "read";
  other.agent = "gpt";
  ASSERT_TRUE(append(other));  // row 10
  AuditFilter filter;
  filter.session = "s2";
  EXPECT_THAT(numbers(filter), ElementsAre(10));
  filter = {};
  filter.action = "run";
  filter.since = 12;
  filter.until = 15;
  EXPECT_THAT(numbers(filter), ElementsAre(3, 4, 5));
  filter = {};
  filter.agent = "claude";
  filter.limit = 2;
  filter.order = AuditFilter::Order::newest_first;
  EXPECT_THAT(numbers(filter), ElementsAre(9, 8));
  filter.after_seq = 8;
  EXPECT_THAT(numbers(filter), ElementsAre(7, 6));
  filter.order = AuditFilter::Order::oldest_first;
  EXPECT_THAT(numbers(filter), ElementsAre(9));
}

TEST_F(StoreTest, CloseWritesSignsAndEmptiesTheWal) {
  open();
  for (int64_t i = 1; i <= 700; i++) store_->append(entry(i));
  close();
  const VerifyReport report = verify();
  EXPECT_TRUE(report.ok) << report.problem;
  EXPECT_EQ(700, report.signed_up_to);
  struct stat wal{};
  EXPECT_TRUE(::stat(dir_.file("store.db-wal").c_str(), &wal) != 0 || wal.st_size == 0);
}

TEST_F(StoreTest, CallsAfterCloseFail) {
  open();
  ASSERT_TRUE(store_->close());
  EXPECT_FALSE(append(entry(1)));
  EXPECT_FALSE(save(session("a")));
  EXPECT_TRUE(store_->close());
}

TEST_F(StoreTest, SignsEveryThousandRowsAlsoWithinOneBatch) {
  open();
  append_many(1, 3500);
  const VerifyReport report = verify();
  EXPECT_TRUE(report.ok) << report.problem;
  EXPECT_EQ(3000, report.signed_up_to);
}

TEST_F(StoreTest, SignsByItselfSomeTimeAfterTheLastRow) {
  StoreOptions with = options();
  with.sign_after = std::chrono::milliseconds(20);
  open(with);
  append_many(1, 3);
  EXPECT_TRUE(support::wait_until([&] { return verify().signed_up_to == 3; }));
  ASSERT_TRUE(append(entry(4)));
  EXPECT_TRUE(support::wait_until([&] { return verify().signed_up_to == 4; }));
}

enum class Sleep { awake, with_timer, without_timer };

// How the store's thread waits: by the fourth argument, the timeout, of the futex that it is in.
Sleep sleep_of_the_store() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (support::read_file(task.path() / "comm") != "tend-store\n") continue;
    std::istringstream words(support::read_file(task.path() / "syscall"));
    std::string call;
    std::string word;
    words >> call;
    for (int i = 0; i < 4; i++) words >> word;
    if (!words || call != std::to_string(SYS_futex)) return Sleep::awake;
    return word == "0x0" ? Sleep::without_timer : Sleep::with_timer;
  }
  return Sleep::awake;
}

TEST_F(StoreTest, AnIdleStoreSleepsWithoutATimer) {
  open();
  EXPECT_TRUE(support::wait_until([] { return sleep_of_the_store() == Sleep::without_timer; }));
  ASSERT_TRUE(append(entry(1)));
  EXPECT_TRUE(support::wait_until([] { return sleep_of_the_store() == Sleep::with_timer; }));
  ASSERT_TRUE(wait_for<AuditHead>(loop_, [&](auto done) { store_->head(std::move(done)); }));
  EXPECT_TRUE(support::wait_until([] { return sleep_of_the_store() == Sleep::without_timer; }));
}

TEST_F(StoreTest, GivesASignedHeadForOtherPlaces) {
  open();
  const auto ask = [&] {
    return wait_for<AuditHead>(loop_, [&](auto done) { store_->head(std::move(done)); });
  };
  EXPECT_FALSE(ask());
  append_many(1, 3);
  const AuditHead head = ask().value();
  EXPECT_EQ(3, head.head.seq);
  EXPECT_EQ(rows().back().hash, head.head.hash);
  EXPECT_TRUE(is_signed_by(head.public_key, signed_text(head.head), head.head.signature));
  EXPECT_EQ(load_public_key(dir_.file("audit.key.pub")).value(), head.public_key);
  EXPECT_EQ(head.head.number, ask().value().head.number);
}

TEST_F(StoreTest, KeepsTheSameKeyAndSaysSoIfItWasLost) {
  make_rows(3);
  const PublicKey key = load_public_key(dir_.file("audit.key")).value();
  open();
  EXPECT_THAT(store_->degraded(), IsEmpty());
  close();
  EXPECT_EQ(key, load_public_key(dir_.file("audit.key.pub")).value());
  std::filesystem::remove(dir_.file("audit.key"));
  open();
  EXPECT_THAT(store_->degraded(), ElementsAre(HasSubstr("rows up to 3 are signed with the old one")));
  EXPECT_EQ(key, load_public_key(dir_.file("audit.key.pub.old")).value());
}

TEST_F(StoreTest, EveryFileIsThisUsersAlone) {
  open();
  append_many(1, 3);
  for (const auto& file : std::filesystem::directory_iterator(dir_.path())) {
    EXPECT_EQ(0600, static_cast<int>(file.status().permissions())) << file.path();
  }
}

TEST_F(StoreTest, RefusesAtItsBoundAndTheTrailSaysHowMuchIsMissing) {
  StoreOptions with = options();
  with.most_queued = 10;
  open(with);
  std::mutex gate;
  std::unique_lock shut(gate);
  store_->write([&](Connection&) -> base::Result<void> {
    const std::lock_guard wait(gate);
    return {};
  });
  int good = 0;
  int refused = 0;
  for (int64_t i = 1; i <= 30; i++)
    store_->append(entry(i), [&](const base::Result<int64_t>& seq) { (seq ? good : refused)++; });
  EXPECT_THAT(store_->degraded(), ElementsAre(HasSubstr("lost to the audit: 21")));
  shut.unlock();
  ASSERT_TRUE(loop_.run_until([&] { return good + refused == 30; }));
  EXPECT_EQ(9, good);
  ASSERT_TRUE(support::wait_until([&] { return store_->degraded().empty(); }));
  const auto all = rows();
  ASSERT_EQ(10U, all.size());
  // Behind the nine, or in front of them if the writer had begun before they came.
  const auto lost =
      std::find_if(all.begin(), all.end(), [](const auto& each) { return each.entry.action == "lost"; });
  ASSERT_NE(all.end(), lost);
  EXPECT_EQ(21, lost->entry.count);
  EXPECT_EQ(10, lost->entry.at);
  EXPECT_EQ(30, lost->entry.until.value());
}

TEST_F(StoreTest, AnEntryLargerThanTheBoundIsRefused) {
  StoreOptions with = options();
  with.most_queued_bytes = 100'000;
  open(with);
  AuditEntry large = entry(1);
  large.bytes = std::string(200'000, 'x');
  EXPECT_FALSE(append(large));
  EXPECT_TRUE(support::wait_until([&] { return store_->degraded().empty(); }));
  EXPECT_EQ("lost", rows().at(0).entry.action);
  EXPECT_EQ(2, append(entry(2)).value());
}

}  // namespace
}  // namespace store
