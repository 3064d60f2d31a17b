// SPDX-License-Identifier: Apache-2.0
// Old rows of the audit leave the store by themselves, and the chain holds across the cut.
#include <filesystem>
#include <gmock/gmock.h>

#include "daemon/archiver.h"
#include "daemon_fixture.h"
#include "store/evidence.h"
#include "store/verify.h"

namespace host_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Archive : public DaemonTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(home_.file("state"));
    std::filesystem::permissions(home_.file("state"), std::filesystem::perms::owner_all);
  }

  store::StoreOptions options() const {
    store::StoreOptions made;
    made.path = home_.file("state/store.db");
    made.key_path = home_.file("state/audit.key");
    made.archive_folder = home_.file("state/archive");
    return made;
  }
  static store::AuditEntry row(int days_ago) {
    store::AuditEntry entry = host::audit_entry("write", "alice", "test");
    entry.at = store::wall_now() - std::chrono::microseconds(std::chrono::days(days_ago)).count();
    return entry;
  }
  // As an earlier daemon left them.
  void leave_rows(const std::vector<int>& days_ago) const {
    auto opened = store::Store::open(options());
    ASSERT_TRUE(opened) << opened.error().message();
    for (const int each : days_ago) (*opened)->append(row(each));
    ASSERT_TRUE((*opened)->close());
  }
  bool is_archived(const std::string& name) const {
    return support::wait_until([&] { return std::filesystem::exists(home_.file("state/archive/" + name)); });
  }
  store::VerifyReport verify() const {
    return store::verify_audit(home_.file("state/store.db"),
                               store::load_public_key(home_.file("state/audit.key.pub")).value(), {})
        .value();
  }
};

TEST_F(Archive, MovesWhatIsOlderThanTheLimitWhenTheDaemonStarts) {
  leave_rows({120, 100, 91, 89, 1});
  ASSERT_EQ("ok", home_.start());
  ASSERT_TRUE(is_archived("audit-1-3.jsonl"));
  Peer peer = this->peer();
  json::array archived;
  ASSERT_TRUE(support::wait_until([&] {
    archived = peer.ok("audit.show", {{"action", "archive"}}).as_array();
    return !archived.empty();
  }));
  EXPECT_EQ(3, archived.at(0).at("count").to_number<int>());
  EXPECT_THAT(std::string(archived.at(0).at("summary").as_string()), StartsWith("rows 1 to 3 are in "));
  EXPECT_EQ(4, peer.ok("audit.show", {{"limit", 1}}).at(0).at("seq").to_number<int>());
  const json::value report = peer.ok("audit.verify");
  EXPECT_TRUE(report.at("ok").as_bool()) << json::serialize(report);
  EXPECT_EQ(4, report.at("first_seq").to_number<int>());
  // The file goes on where the store begins: its last row is the one that the first row left is chained to.
  const std::string file = support::read_file(home_.file("state/archive/audit-1-3.jsonl"));
  EXPECT_EQ(4U, count_of(file, "\n"));
  const std::string last_lines = file.substr(file.find("{\"seq\":3"));
  const json::value last = json::parse(last_lines.substr(0, last_lines.find('\n')));
  const json::value start = json::parse(last_lines.substr(last_lines.find('\n') + 1));
  EXPECT_EQ(last.at("hash"), start.at_pointer("/start/hash"));
}

TEST_F(Archive, TheLimitIsTheUsers) {
  std::filesystem::create_directories(home_.file("config"));
  support::write_file(home_.file("config/config.yml"), "store: {archive_days: 7}\n");
  leave_rows({8, 6});
  ASSERT_EQ("ok", home_.start());
  EXPECT_TRUE(is_archived("audit-1-1.jsonl"));
}

TEST_F(Archive, EvidenceGoesAfterItsTime) {
  std::filesystem::create_directories(home_.file("config"));
  support::write_file(home_.file("config/config.yml"), "evidence: {keep_days: 7}\n");
  auto opened = store::Store::open(options());
  ASSERT_TRUE(opened) << opened.error().message();
  for (const int days_ago : {9, 8, 6}) {
    store::EvidencePack pack;
    pack.id = "pack-" + std::to_string(days_ago);
    pack.at = row(days_ago).at;
    pack.before = store::ScreenShot{pack.id, 80, 24};
    (*opened)->write(
        [pack](store::Connection& connection) { return store::save_evidence(connection, pack); });
  }
  ASSERT_TRUE((*opened)->close());
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  json::array rows;
  ASSERT_TRUE(support::wait_until([&] {
    rows = peer.ok("audit.show", {{"action", "evidence_removed"}}).as_array();
    return !rows.empty();
  }));
  EXPECT_EQ(2, rows.at(0).at("count").to_number<int>());
  const json::value left = peer.ok("evidence.list");
  ASSERT_EQ(1U, left.at("evidence").as_array().size());
  EXPECT_EQ("pack-6", std::string(left.at("evidence").at(0).at("evidence_id").as_string()));
}

TEST_F(Archive, AFailureIsInTheTrailAndEndsNothing) {
  leave_rows({100});
  support::write_file(home_.file("state/archive"), "in the way");
  ASSERT_EQ("ok", home_.start());
  Peer peer = this->peer();
  json::array rows;
  ASSERT_TRUE(support::wait_until([&] {
    rows = peer.ok("audit.show", {{"action", "archive"}}).as_array();
    return !rows.empty();
  }));
  EXPECT_NE("ok", std::string(rows.at(0).at("result").as_string()));
  EXPECT_EQ(1, peer.ok("audit.show", {{"limit", 1}}).at(0).at("seq").to_number<int>());
  EXPECT_TRUE(peer.ok("audit.verify").at("ok").as_bool());
  EXPECT_THAT(support::read_file(home_.file("state/daemon.log")), HasSubstr("cannot be archived"));
}

TEST_F(Archive, GoesOnWhileTheDaemonRuns) {
  event::Loop loop;
  store::StoreOptions with = options();
  with.post = [&](std::function<void()> work) { loop.post(std::move(work)); };
  auto opened = store::Store::open(std::move(with));
  ASSERT_TRUE(opened);
  host::AuditTrail audit(loop, **opened);
  host::Archiver archiver(loop, **opened, audit,
                          {.age = std::chrono::days(1), .every = std::chrono::milliseconds(20)});
  const base::RealClock clock;
  const base::Moment end = clock.now() + support::kDeadline;
  // Both at once, or one after the other, if it looked in between.
  const auto archived = [&] {
    const std::string folder = home_.file("state/archive/");
    return std::filesystem::exists(folder + "audit-1-2.jsonl") ||
           std::filesystem::exists(folder + "audit-2-2.jsonl");
  };
  event::Timer look(loop, [&] {
    if (archived() || clock.now() > end) return loop.stop();
    look.set_after(std::chrono::milliseconds(5));
  });
  look.set_after({});
  archiver.run();
  // Rows that get old only after the first look.
  loop.post([&] {
    (*opened)->append(row(3));
    (*opened)->append(row(2));
    (*opened)->append(row(0));
  });
  loop.run();
  ASSERT_TRUE((*opened)->close());
  EXPECT_TRUE(archived());
  EXPECT_TRUE(verify().ok) << verify().problem;
}

}  // namespace
}  // namespace host_test
