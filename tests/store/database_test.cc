// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace store {
namespace {

class Database : public testing::Test {
 protected:
  support::TempDir dir_;
  Connection connection_ = Connection::open(dir_.file("db"), Access::write).value();
};

TEST_F(Database, IsSetUpToSurviveAPowerCut) {
  EXPECT_EQ(2, connection_.number("PRAGMA synchronous").value());
  EXPECT_EQ(1, connection_.number("PRAGMA foreign_keys").value());
  auto mode = connection_.prepare("PRAGMA journal_mode").value();
  ASSERT_TRUE(mode.step().value());
  EXPECT_EQ("wal", mode.text(0));
}

TEST_F(Database, TellsNullFromEmptyAndKeepsZeroBytes) {
  ASSERT_TRUE(connection_.execute("CREATE TABLE t (a TEXT, b BLOB, c TEXT, d INTEGER) STRICT"));
  auto insert = connection_.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)").value();
  insert.bind(1, std::string_view());
  insert.bind(2, Blob{std::string_view("\0x", 2)});
  insert.bind(3, std::optional<std::string>());
  insert.bind(4, INT64_MIN);
  ASSERT_TRUE(insert.run());
  auto select = connection_.prepare("SELECT * FROM t").value();
  ASSERT_TRUE(select.step().value());
  EXPECT_EQ("", select.maybe_text(0).value());
  EXPECT_EQ(std::string("\0x", 2), select.text(1));
  EXPECT_FALSE(select.maybe_text(2));
  EXPECT_EQ(INT64_MIN, select.integer(3));
  EXPECT_FALSE(select.step().value());
}

TEST_F(Database, AnUncommittedTransactionIsRolledBack) {
  ASSERT_TRUE(connection_.execute("CREATE TABLE t (x)"));
  {
    auto transaction = Transaction::begin(connection_, Transaction::Kind::write).value();
    ASSERT_TRUE(connection_.execute("INSERT INTO t VALUES (1)"));
  }
  EXPECT_EQ(0, connection_.number("SELECT count(*) FROM t").value());
  auto transaction = Transaction::begin(connection_, Transaction::Kind::write).value();
  ASSERT_TRUE(connection_.execute("INSERT INTO t VALUES (1)"));
  ASSERT_TRUE(transaction.commit());
  EXPECT_EQ(1, connection_.number("SELECT count(*) FROM t").value());
}

TEST_F(Database, AStatementsOwnFaultHasNoSystemReason) {
  ASSERT_TRUE(connection_.execute("CREATE TABLE t (x UNIQUE); INSERT INTO t VALUES (1)"));
  const auto again = connection_.execute("INSERT INTO t VALUES (1)");
  ASSERT_FALSE(again);
  EXPECT_EQ(0, again.error().sys);
  EXPECT_THAT(again.error().message(), testing::HasSubstr("UNIQUE"));
}

TEST_F(Database, AReaderCannotWrite) {
  ASSERT_TRUE(connection_.execute("CREATE TABLE t (x)"));
  auto reader = Connection::open(dir_.file("db"), Access::read).value();
  const auto written = reader.execute("INSERT INTO t VALUES (1)");
  ASSERT_FALSE(written);
  EXPECT_EQ(EROFS, written.error().sys);
}

TEST_F(Database, AReaderDoesNotMakeTheFile) {
  auto reader = Connection::open(dir_.file("none"), Access::read);
  ASSERT_FALSE(reader);
  EXPECT_EQ(ENOENT, reader.error().sys);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("none")));
}

TEST_F(Database, NoticesThatItsFileIsGone) {
  EXPECT_FALSE(connection_.is_moved());
  std::filesystem::remove(dir_.file("db"));
  EXPECT_TRUE(connection_.is_moved());
}

}  // namespace
}  // namespace store
