// SPDX-License-Identifier: Apache-2.0
// Opening the store's file: new, old, newer, foreign, damaged.
#include "store/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "opened_store.h"

namespace store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Schema : public OpenedStore {
 protected:
  std::vector<std::string> put_aside() const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(dir_.path())) {
      const std::string name = file.path();
      if (name.find("store.db.corrupt-") != std::string::npos && !name.ends_with("-wal") &&
          !name.ends_with("-shm"))
        names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }
  std::string error_of_open() {
    auto opened = Store::open(options());
    return opened ? "opened" : opened.error().message();
  }
};

TEST_F(Schema, ANewFileIsOfTheCurrentVersion) {
  const OpenedFile file = open_store_file(dir_.file("store.db")).value();
  auto reader = Connection::open(dir_.file("store.db"), Access::read).value();
  EXPECT_EQ(schema_version(), reader.number("PRAGMA user_version").value());
  EXPECT_EQ("", file.put_aside);
}

TEST_F(Schema, AFileOfANewerTendIsRefusedAndLeftAlone) {
  make_rows(3);
  tamper("PRAGMA user_version = 99");
  EXPECT_THAT(error_of_open(), HasSubstr("newer tend (its format is 99"));
  EXPECT_THAT(put_aside(), IsEmpty());
  tamper("PRAGMA user_version = " + std::to_string(schema_version()));
  EXPECT_TRUE(verify().ok);
}

TEST_F(Schema, ADatabaseOfAnotherProgramIsRefused) {
  Connection::open(dir_.file("store.db"), Access::write).value().execute("CREATE TABLE mine (x)").value();
  EXPECT_THAT(error_of_open(), HasSubstr("another program"));
}

TEST_F(Schema, ADamagedFileIsPutAsideWithAWordAndWorkGoesOn) {
  make_rows(3);
  const std::string garbage(8192, 'x');
  support::write_file(dir_.file("store.db"), garbage);
  support::write_file(dir_.file("store.db-wal"), "left");
  open();
  ASSERT_FALSE(put_aside().empty());
  const std::string aside = put_aside()[0];
  EXPECT_EQ(garbage, support::read_file(aside));
  EXPECT_EQ("left", support::read_file(aside + "-wal"));
  EXPECT_THAT(store_->degraded(), ElementsAre(testing::AllOf(HasSubstr("was damaged"), HasSubstr(aside))));
  EXPECT_EQ(1, append(entry(1)).value());
  close();
  EXPECT_TRUE(verify().ok) << verify().problem;
}

TEST_F(Schema, ACutFileIsPutAside) {
  make_rows(3000);
  std::filesystem::resize_file(dir_.file("store.db"), 9000);
  open();
  EXPECT_EQ(1U, put_aside().size());
  EXPECT_THAT(store_->load().value(), IsEmpty());
}

TEST_F(Schema, AFileWithoutItsTablesIsPutAside) {
  make_rows(3);
  tamper("DROP TABLE ptys");
  open();
  EXPECT_EQ(1U, put_aside().size());
  EXPECT_EQ(1U, store_->degraded().size());
}

TEST_F(Schema, AnAuditThatCannotBeWrittenOnIsPutAside) {
  make_rows(3);
  tamper("DELETE FROM audit_state");
  open();
  EXPECT_EQ(1U, put_aside().size());
  append_many(1, 3);
  close();
  tamper("UPDATE audit_state SET seq = 2");
  open();
  EXPECT_EQ(2U, put_aside().size());
  EXPECT_EQ(1, append(entry(1)).value());
}

TEST_F(Schema, AnAuditThatWasCutGoesOnAndVerifyingStillFindsTheCut) {
  make_rows(20);
  tamper("DELETE FROM audit WHERE seq > 15; UPDATE audit_heads SET signature = x''");
  open();
  EXPECT_THAT(put_aside(), IsEmpty());
  EXPECT_EQ(21, append(entry(21)).value());
  close();
  EXPECT_FALSE(verify().ok);
}

TEST_F(Schema, ASecondDamagedFileDoesNotTakeTheFirstOnesPlace) {
  for (int i = 0; i < 3; i++) {
    support::write_file(dir_.file("store.db"), std::string(5000, 'x'));
    std::filesystem::permissions(dir_.file("store.db"), std::filesystem::perms(0600));
    open();
    close();
  }
  EXPECT_EQ(3U, put_aside().size());
}

TEST_F(Schema, DamageThatIsMetInUseIsLookedForAtTheNextStart) {
  make_rows(5000);
  std::string bytes = support::read_file(dir_.file("store.db"));
  // Pages in the middle of the audit: opening does not read them.
  for (size_t at = bytes.size() / 4096 / 2 * 4096; at < bytes.size() / 4096 / 2 * 4096 + 3 * 4096; at++)
    bytes[at] = '\x55';
  support::write_file(dir_.file("store.db"), bytes);
  open();
  EXPECT_THAT(put_aside(), IsEmpty());
  close();
  mark_suspect(dir_.file("store.db"));
  open();
  EXPECT_EQ(1U, put_aside().size());
  close();
  open();
  EXPECT_EQ(1U, put_aside().size());
  EXPECT_THAT(store_->degraded(), IsEmpty());
}

TEST_F(Schema, NeitherTheFileNorTheKeyIsOpenedThroughALink) {
  make_rows(3);
  for (const char* name : {"store.db", "audit.key"}) {
    std::filesystem::rename(dir_.file(name), dir_.file("elsewhere"));
    std::filesystem::create_symlink(dir_.file("elsewhere"), dir_.file(name));
    EXPECT_THAT(error_of_open(), HasSubstr("is a symbolic link")) << name;
    std::filesystem::rename(dir_.file("elsewhere"), dir_.file(name));
  }
  EXPECT_EQ("opened", error_of_open());
}

TEST_F(Schema, AFolderMayBeReachedThroughALink) {
  make_rows(3);
  std::filesystem::create_directory_symlink(dir_.path(), dir_.file("link"));
  StoreOptions with = options();
  with.path = dir_.file("link/store.db");
  open(with);
  EXPECT_EQ(4, append(entry(4)).value());
}

TEST_F(Schema, AFileThatOthersMayReadIsRefused) {
  make_rows(3);
  std::filesystem::permissions(dir_.file("store.db"), std::filesystem::perms(0644));
  EXPECT_THAT(error_of_open(), HasSubstr("chmod 600"));
}

TEST_F(Schema, AMissingFolderIsAnErrorThatNamesIt) {
  StoreOptions with = options();
  with.path = dir_.file("nowhere/store.db");
  auto opened = Store::open(with);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message(), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace store
