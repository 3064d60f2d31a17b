// SPDX-License-Identifier: Apache-2.0
#include "filter/key_decoder.h"

#include <gtest/gtest.h>

namespace filter {
namespace {

TEST(KeyOf, KnowsTheKeysThatAreWrittenAsNumbers) {
  EXPECT_EQ(key_of("100;5", 'u'), 0x04);
  EXPECT_EQ(key_of("68;6", 'u'), 0x04);
  EXPECT_EQ(key_of("99;5", 'u'), 0x03);
  EXPECT_EQ(key_of("92;5", 'u'), 0x1c);
  EXPECT_EQ(key_of("27;5;100", '~'), 0x04);
  EXPECT_EQ(key_of("13", 'u'), '\r');
  EXPECT_EQ(key_of("101", 'u'), 'e');
  EXPECT_EQ(key_of("101;2", 'u'), 'E');
  EXPECT_EQ(key_of("127", 'u'), 0x7f);
  EXPECT_EQ(key_of("100:68;5:2", 'u'), 0x04);
}

TEST(KeyOf, LeavesEverythingElse) {
  for (const char* body :
       {"", "0;5", "100;0", "100;3", "100;5:3", "57358;5", "x", "100;x", "99999999999;5", "228", "27"})
    EXPECT_EQ(key_of(body, 'u'), std::nullopt) << body;
  EXPECT_EQ(key_of("3;5", '~'), std::nullopt);
  EXPECT_EQ(key_of("28;5;100", '~'), std::nullopt);
  EXPECT_EQ(key_of("1;5", 'A'), std::nullopt);
}

TEST(KeyDecoder, EveryByteComesOutOnce) {
  const std::string input = "a\x1b[Ab\x1b]0;t\x1b\\c\x1b[100;5ud\x1b[1;\x01\x1bOA\x1b\x1b[z\x1bx";
  KeyDecoder decoder;
  std::vector<Symbol> symbols;
  for (const char c : input) decoder.take(static_cast<unsigned char>(c), symbols);
  std::string raw;
  for (const Symbol& each : symbols) raw += each.raw;
  EXPECT_EQ(raw + std::string(decoder.waiting()), input);
}

TEST(KeyDecoder, NoSequenceIsKeptForEver) {
  KeyDecoder decoder;
  std::vector<Symbol> symbols;
  for (const char c : "\x1b[" + std::string(100, '1')) decoder.take(static_cast<unsigned char>(c), symbols);
  EXPECT_LE(decoder.waiting().size(), 64U);
  EXPECT_TRUE(decoder.at_ground());
}

}  // namespace
}  // namespace filter
