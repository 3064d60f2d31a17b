// SPDX-License-Identifier: Apache-2.0
// tend audit on the real program and the real store.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "base/strings.h"
#include "session_home.h"

namespace cli {
namespace {

using support::Json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST_F(SessionTest, AuditShowsWhoDidWhatAndFilters) {
  ASSERT_EQ(0, says("run -d -n api -- cat", "TEND_AGENT_ID=alice").code);
  ASSERT_EQ(0, says("send api hello", "TEND_AGENT_ID=bob").code);
  const Said said = says("audit show");
  EXPECT_EQ(0, said.code);
  EXPECT_THAT(said.out, HasSubstr("ACTION"));
  EXPECT_THAT(said.out, HasSubstr("hello"));
  const Json writes = json_of("audit show --action write --json");
  ASSERT_EQ(1U, writes.array().size());
  EXPECT_EQ("bob", writes[0]["agent"].string());
  EXPECT_EQ("hello", writes[0]["text"].string());
  EXPECT_EQ("cli", writes[0]["channel"].string());
  EXPECT_THAT(says("audit show --agent alice").out, Not(HasSubstr("hello")));
  EXPECT_EQ(2U, json_of("audit show --session api --json").array().size()) << "the spawn and the write";
  EXPECT_EQ(1U, json_of("audit show -n 1 --json").array().size());
}

TEST_F(SessionTest, AuditShowsTheNewestRowsOldestOfThemFirst) {
  for (int i = 0; i < 5; i++) ASSERT_EQ(0, says("ls", "TEND_AGENT_ID=a" + std::to_string(i)).code);
  // Reads are written a moment later, so that equal ones become one row.
  ASSERT_TRUE(support::wait_until(
      [&] { return says("audit show --agent a4").out.find("list") != std::string::npos; }));
  const Json rows = json_of("audit show -n 2 --action list --json");
  ASSERT_EQ(2U, rows.array().size());
  EXPECT_EQ("a3", rows[0]["agent"].string());
  EXPECT_EQ("a4", rows[1]["agent"].string());
}

TEST_F(SessionTest, AuditExportsEveryRowAcrossPages) {
  start("api", "cat");
  // More than one answer of the daemon carries.
  ASSERT_EQ(
      0, says("status",
              "for i in $(seq 1 20); do head -c 200000 /dev/zero | tr '\\0' x | \"$TEND\" send api -; done;")
             .code);
  const Said said = says("audit export --json");
  EXPECT_EQ(0, said.code);
  int expected = 1;
  for (const std::string_view line : base::split(said.out, '\n')) {
    if (line.empty()) continue;
    EXPECT_EQ(expected++, Json::parse(line)["seq"].integer());
  }
  EXPECT_LT(20, expected);
}

TEST_F(SessionTest, AuditVerifiesItsChainAgainstAnAnchor) {
  start("api", "cat");
  const Said head = says("audit head");
  EXPECT_THAT(head.out, MatchesRegex("[0-9]+:[0-9a-f]{64}\n"));
  const std::string anchor = head.out.substr(0, head.out.size() - 1);
  const Json about = json_of("audit head --json");
  for (const char* name : {"seq", "hash", "at", "signature", "public_key"})
    EXPECT_TRUE(about.has(name)) << name;
  const Said said = says("audit verify --anchor " + anchor);
  EXPECT_EQ(0, said.code);
  EXPECT_THAT(said.out, MatchesRegex("ok: [0-9]+ rows, 1 to [0-9]+, signed up to [0-9]+\n"));
  EXPECT_TRUE(json_of("audit verify --json")["ok"].boolean());
  std::string other = anchor;
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_EQ(1, says("audit verify --anchor " + other).code);
  for (const char* bad : {"none", "1", "1:xyz"})
    EXPECT_EQ(2, says(std::string("audit verify --anchor ") + bad).code) << bad;
}

TEST_F(SessionTest, AuditVerifyNamesTheRowThatWasChanged) {
  start("api", "cat");
  ASSERT_EQ(0, says("send api hello").code);
  ASSERT_EQ(0, says("kill api").code);
  const Json rows = json_of("audit show --action write --json");
  ASSERT_EQ(1U, rows.array().size());
  const std::string seq = std::to_string(rows[0]["seq"].integer());
  ASSERT_EQ(0, says("daemon stop").code);
  sqlite3* store = nullptr;
  ASSERT_EQ(SQLITE_OK, ::sqlite3_open(home_.file("state/store.db").c_str(), &store));
  const std::string change = "UPDATE audit SET agent = 'mallory' WHERE seq = " + seq;
  EXPECT_EQ(SQLITE_OK, ::sqlite3_exec(store, change.c_str(), nullptr, nullptr, nullptr))
      << ::sqlite3_errmsg(store);
  ::sqlite3_close(store);
  const Said said = says("audit verify");
  EXPECT_EQ(1, said.code);
  EXPECT_EQ("", said.out);
  EXPECT_THAT(said.err, MatchesRegex("tend: the audit is not what it was: row " + seq + ": [^\n]+\n"));
  const Said json = says("audit verify --json");
  EXPECT_EQ(1, json.code);
  EXPECT_EQ(rows[0]["seq"].integer(), Json::parse(json.out)["bad_seq"].integer());
}

}  // namespace
}  // namespace cli
