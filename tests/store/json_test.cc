// SPDX-License-Identifier: Apache-2.0
#include "store/json.h"

#include <gtest/gtest.h>
#include <memory>

#include "store/audit_read.h"
#include "support/json.h"

namespace store {
namespace {

TEST(Json, EscapesWhatATerminalOrAParserWouldTakeForSomethingElse) {
  EXPECT_EQ(R"("a\"b\\c\n\r\t")", json_string("a\"b\\c\n\r\t"));
  EXPECT_EQ(R"("\u001b[31m\u0000\u007f\u009b")", json_string(std::string_view("\x1b[31m\0\x7f\xc2\x9b", 9)));
  EXPECT_EQ("\"grün 界 🎉\"", json_string("grün 界 🎉"));
}

TEST(Json, PutsAReplacementForWhatIsNotUtf8) {
  EXPECT_EQ(
      "\"a\xef\xbf\xbd"
      "b\"",
      json_string("a\xff"
                  "b"));
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80", "\xe0\x80\x80"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(Json, KnowsWhatIsPrintable) {
  EXPECT_TRUE(is_printable("ls -l\r\n\t界"));
  EXPECT_TRUE(is_printable(""));
  EXPECT_FALSE(is_printable("\x1b[A"));
  EXPECT_FALSE(is_printable("\xc2\x85"));
  EXPECT_FALSE(is_printable("\xff"));
}

TEST(Json, EncodesBase64AndHex) {
  const std::pair<const char*, const char*> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : known) EXPECT_EQ(encoded, to_base64(plain));
  const unsigned char bytes[] = {0, 0x1f, 0xff};
  EXPECT_EQ("001fff", to_hex(bytes));
}

TEST(AuditJson, HasEveryFieldOfARow) {
  // On the heap: on the stack g++ 12 takes the optional texts for uninitialized.
  const auto made = std::make_unique<AuditRow>();
  AuditRow& row = *made;
  row.seq = 7;
  row.hash.fill(0xab);
  row.entry.at = 1'700'000'000'000'000;
  row.entry.session = "s";
  row.entry.pty = 2;
  row.entry.action = "write";
  row.entry.bytes = "yes\r";
  row.entry.journal_offset = 99;
  const auto json = support::Json::parse(audit_json(row));
  for (const char* name :
       {"seq", "at", "session", "pty", "action", "agent", "channel", "command", "bytes", "secret", "count",
        "until", "prompt_id", "screen_hash", "journal_offset", "result", "summary", "evidence_id", "hash"})
    EXPECT_TRUE(json.has(name)) << name;
  EXPECT_EQ("eWVzDQ==", json["bytes"].string());
  EXPECT_EQ("yes\r", json["text"].string());
  EXPECT_EQ(std::string(64, 'a').size(), json["hash"].string().size());
  EXPECT_TRUE(json["command"].is_null());
  EXPECT_EQ(99, json["journal_offset"].integer());
}

TEST(AuditJson, GivesExactBytesOfWhatIsNotText) {
  const auto made = std::make_unique<AuditRow>();
  AuditRow& row = *made;
  row.entry.bytes = "\x1b[A";
  row.entry.command = "a\xff";
  const auto json = support::Json::parse(audit_json(row));
  EXPECT_FALSE(json.has("text"));
  EXPECT_EQ("G1tB", json["bytes"].string());
  EXPECT_EQ("Yf8=", json["command_base64"].string());
}

}  // namespace
}  // namespace store
