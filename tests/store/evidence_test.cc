// SPDX-License-Identifier: Apache-2.0
// Evidence packs: kept whole, kept once, kept for as long as they should be; and files of an older tend.
#include "store/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ids.h"
#include "opened_store.h"
#include "store/schema.h"

namespace store {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class Evidence : public testing::Test {
 protected:
  static EvidencePack make(int64_t at = 1000) {
    EvidencePack pack;
    pack.id = base::new_id();
    pack.at = at;
    pack.session = "k3v9";
    pack.name = "web";
    pack.pty = 1;
    pack.agent = "claude-7";
    pack.channel = "mcp";
    pack.action = "write";
    pack.cwd = "/srv/web";
    pack.sent = std::string("ls\0\r", 4);
    pack.before = ScreenShot{"$ ", 80, 24};
    return pack;
  }
  EvidencePack load(const std::string& id) { return load_evidence(connection_, id).value().value(); }
  int64_t count(std::string_view sql) { return connection_.number(sql).value(); }

  support::TempDir dir_;
  Connection connection_ = open_store_file(dir_.file("store.db")).value().connection;
};

TEST_F(Evidence, APackIsCompletedLater) {
  EvidencePack pack = make();
  ASSERT_TRUE(save_evidence(connection_, pack));
  pack.number = 1;
  EXPECT_EQ(pack, load(pack.id));
  pack.after = ScreenShot{"$ ls\r\nx", 80, 24};
  pack.output = "ls\r\nx\r\n";
  pack.exit_code = 3;
  pack.diff_stat = " a | 2 +-\n";
  pack.diff = std::string("diff --git\n\xff", 12);
  pack.truncated = true;
  pack.complete = true;
  ASSERT_TRUE(save_evidence(connection_, pack));
  EXPECT_EQ(pack, load(pack.id));
  EXPECT_EQ(1, count("SELECT count(*) FROM evidence"));
}

TEST_F(Evidence, OneThatIsNotThereIsNothing) {
  EXPECT_EQ(std::nullopt, load_evidence(connection_, "nothing").value());
  EXPECT_FALSE(has_evidence(connection_, "nothing").value());
}

TEST_F(Evidence, ASecretDoesNotGetIntoTheFile) {
  EvidencePack pack = make();
  pack.sent = "correct horse battery";
  pack.secret = true;
  ASSERT_TRUE(save_evidence(connection_, pack));
  EXPECT_EQ("secret", load(pack.id).sent);
  for (const char* file : {"store.db", "store.db-wal"})
    EXPECT_THAT(support::read_file(dir_.file(file)), Not(HasSubstr("battery")));
}

TEST_F(Evidence, WhatPacksHaveInCommonIsKeptOnce) {
  for (int i = 0; i < 10; i++) {
    EvidencePack pack = make();
    pack.after = pack.before;
    ASSERT_TRUE(save_evidence(connection_, pack));
  }
  EXPECT_EQ(1, count("SELECT count(*) FROM evidence_texts"));
}

TEST_F(Evidence, ListsAreNewestFirstAndOfASession) {
  std::vector<std::string> ids;
  for (int i = 0; i < 4; i++) {
    EvidencePack pack = make();
    if (i == 3) pack.session = pack.name = "other";
    ids.push_back(pack.id);
    ASSERT_TRUE(save_evidence(connection_, pack));
  }
  const auto all = list_evidence(connection_, {.session = {}, .before = {}}).value();
  ASSERT_THAT(all, SizeIs(4));
  EXPECT_EQ(ids[3], all[0].id);
  EXPECT_THAT(list_evidence(connection_, {.session = "web", .before = {}}).value(), SizeIs(3));
  EXPECT_THAT(list_evidence(connection_, {.session = "k3v9", .before = {}, .limit = 2}).value(), SizeIs(2));
  EXPECT_EQ(ids[0], list_evidence(connection_, {.session = {}, .before = 2}).value().at(0).id);
}

TEST_F(Evidence, OldPacksGoWithWhatNobodyElseHas) {
  const EvidencePack old = make(1000);
  EvidencePack young = make(2000);
  young.before->bytes = old.before->bytes;
  EvidencePack other = make(1500);
  other.after = ScreenShot{"only here", 80, 24};
  for (const EvidencePack& each : {old, young, other}) ASSERT_TRUE(save_evidence(connection_, each));
  EXPECT_EQ(1, remove_evidence(connection_, 1800, 1).value());
  EXPECT_EQ(2, count("SELECT count(*) FROM evidence_texts"));
  EXPECT_EQ(1, remove_evidence(connection_, 1800, 10).value());
  EXPECT_EQ(0, remove_evidence(connection_, 1800, 10).value());
  EXPECT_EQ(1, count("SELECT count(*) FROM evidence_texts"));
  EXPECT_EQ("$ ", load(young.id).before->bytes);
  EXPECT_EQ(std::nullopt, load_evidence(connection_, old.id).value());
}

// What the first version of tend left behind.
class OlderFile : public OpenedStore {};

TEST_F(OlderFile, IsBroughtUpToDateWithAllThatIsInIt) {
  make_rows(5);
  tamper(
      "DROP TABLE inbox_evidence; DROP TABLE inbox; DROP TABLE evidence; DROP TABLE evidence_texts; DROP "
      "TABLE prompts; DROP TABLE channel_memory; "
      "PRAGMA user_version = 1");
  OpenedFile file = open_store_file(dir_.file("store.db")).value();
  EXPECT_EQ("", file.put_aside);
  EXPECT_EQ(schema_version(), file.connection.number("PRAGMA user_version").value());
  EXPECT_EQ(0, file.connection.number("SELECT count(*) FROM inbox").value());
  EXPECT_EQ(0, file.connection.number("SELECT count(*) FROM evidence").value());
  EXPECT_TRUE(verify().ok) << verify().problem;
  EXPECT_EQ(5, file.connection.number("SELECT count(*) FROM audit").value());
}

}  // namespace
}  // namespace store
