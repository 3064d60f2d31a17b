// SPDX-License-Identifier: Apache-2.0
#include "wire/encoding.h"

#include <gtest/gtest.h>
#include <random>

namespace wire {
namespace {

TEST(Text, HoldsBackACharacterThatMayStillComeWhole) {
  for (const std::string_view whole : {"ä", "€", "😀"}) {
    for (size_t cut = 1; cut < whole.size(); cut++) {
      const std::string bytes = "x" + std::string(whole.substr(0, cut));
      EXPECT_EQ("x", to_utf8(bytes, Rest::may_come).text);
      EXPECT_EQ(1U, to_utf8(bytes, Rest::may_come).consumed);
      EXPECT_EQ("x\uFFFD", to_utf8(bytes, Rest::never_comes).text);
      EXPECT_EQ(bytes.size(), to_utf8(bytes, Rest::never_comes).consumed);
    }
  }
}

TEST(Text, IsTheSameHoweverItIsCut) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; round++) {
    std::string bytes(random() % 100, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 3 == 0 ? random() : "aä€😀"[random() % 10]);
    const std::string whole = to_utf8(bytes, Rest::never_comes).text;
    std::string pieces;
    std::string rest;
    for (const char c : bytes) {
      rest += c;
      const auto piece = to_utf8(rest, Rest::may_come);
      pieces += piece.text;
      rest.erase(0, piece.consumed);
    }
    EXPECT_EQ(whole, pieces + to_utf8(rest, Rest::never_comes).text);
  }
}

TEST(Text, IsCutBetweenCharacters) {
  EXPECT_EQ("aä", cut_text("aä", 3));
  EXPECT_EQ("a", cut_text("aä", 2));
  EXPECT_EQ("", cut_text("€", 2));
}

TEST(Base64, GoesThereAndBack) {
  std::mt19937 random(3);
  for (size_t size = 0; size < 100; size++) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_EQ(bytes, from_base64(to_base64(bytes)));
  }
  EXPECT_EQ("AP8=", to_base64(std::string("\0\xff", 2)));
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* bad : {"A", "AA", "AAA", "A===", "====", "AA=A", "AAA!", "AA\nA", "A A="})
    EXPECT_FALSE(from_base64(bad)) << bad;
}

}  // namespace
}  // namespace wire
