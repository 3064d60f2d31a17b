// SPDX-License-Identifier: Apache-2.0
// Leftovers as a whole: cut anywhere, bounded, parked and brought back, asked from elsewhere.
#include "term/leftovers.h"

#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>

namespace term {
namespace {

constexpr std::string_view kBusy =
    "text\x1b[?1049h\x1b[?2004;1003h\x1b]11;#012\x1b\\more\x1b[>5u\x1b[?25l\x1b(0\x0e\x1b[3;9r"
    "\x1bPignored [?1h\x1b\\\x1b[1;31m\x1b]8;;http://a\x07link\x1b[4 q\x1b=\x1b[?1006h\x1b[=3;2u\x1b]0;t";

std::string everything() {
  std::string all = "\x1b[=31u\x1b[>1u\x1b[?";
  for (const char* mode :
       {"1",    "5",    "6",    "9",    "66",   "69",   "1000", "1002", "1003", "1004", "1005",
        "1006", "1015", "1016", "2004", "2026", "2031", "2048", "47",   "1047", "1049"})
    all += std::string(mode) + ";";
  all += "h\x1b[?7;25l\x1b[4;20h\x1b[2 q\x1b[>4;2m\x1b[2;3r\x1b(0\x0e\x1b[1m\x1b]8;;x\x07\x1b]4;1;red\x07";
  all += "\x1b]10;a;b;c;d;e;f;g;h;i;j\x07\x1b[=31u";
  for (int i = 0; i < 300; i++) all += "\x1b[>31u";
  return all + "\x1b[";
}

TEST(LeftoversScanner, GivesTheSameForEveryCutInTwo) {
  Leftovers whole;
  whole.feed(kBusy);
  ASSERT_FALSE(whole.empty());
  for (size_t cut = 0; cut <= kBusy.size(); cut++) {
    Leftovers parts;
    parts.feed(kBusy.substr(0, cut));
    parts.feed(kBusy.substr(cut));
    ASSERT_EQ(whole.undo(), parts.undo()) << cut;
  }
}

TEST(LeftoversScanner, GivesTheSameByteByByte) {
  Leftovers whole;
  whole.feed(kBusy);
  Leftovers bytes;
  for (const char byte : kBusy) bytes.feed({&byte, 1});
  EXPECT_EQ(whole.undo(), bytes.undo());
}

TEST(LeftoversScanner, GivesTheSameForRandomBytesInRandomPieces) {
  std::mt19937 random(20240607);
  constexpr std::string_view kLikely = "\x1b\x1b[]?>=<;0123456789hlumrqpcP\\\x07\x0e\x0f\x18! (";
  for (int round = 0; round < 300; round++) {
    std::string bytes(400, ' ');
    for (char& byte : bytes)
      byte = random() % 8 == 0 ? static_cast<char>(random()) : kLikely[random() % kLikely.size()];
    Leftovers whole;
    whole.feed(bytes);
    Leftovers parts;
    for (std::string_view rest = bytes; !rest.empty();) {
      const size_t n = std::min<size_t>(rest.size(), random() % 9);
      parts.feed(rest.substr(0, n));
      rest.remove_prefix(n);
    }
    ASSERT_EQ(whole.undo(), parts.undo());
  }
}

// As programs write it: mostly words and colours, and now and then something that matters, long or cut.
TEST(LeftoversScanner, GivesTheSameForColouredTextInRandomPieces) {
  std::mt19937 random(20261118);
  const auto number = [&](unsigned most) { return std::to_string(random() % most); };
  for (int round = 0; round < 2000; round++) {
    std::string bytes;
    while (bytes.size() < 300) {
      switch (random() % 16) {
        case 0:
          bytes += "\x1b[m";
          break;
        case 1:
          bytes += "\x1b[" + number(30) + ";" + number(90) + "H";
          break;
        case 2:
          bytes += "\x1b[0;" + std::string(random() % 80, '0') + number(2) + "m";
          break;
        case 3:
          bytes += std::string("\x1b") + "[78=>\r \xe2"[random() % 8] + "Az"[random() % 2];
          break;
        case 4:
          if (random() % 8 == 0) bytes += "\x1b[?" + number(8) + "h";
          break;
        case 5:
          bytes += "\x1b[38:5:" + number(256) + "m";
          break;
        case 6:
          bytes += "\x1b[" + number(10) + "ABKJdfXmz@`"[random() % 12];
          break;
        case 7:
          bytes += "\x1b[1;\x1b[3" + number(8) + "m";
          break;
        case 8:
        case 9:
        case 10:
          bytes += "\x1b[38;5;" + number(256) + "m" + std::string(random() % 9, '7') + "\x1b[0m";
          break;
        default:
          bytes += std::string(random() % 12, 'x') + " 12;3m\r\n";
      }
    }
    Leftovers whole;
    whole.feed(bytes);
    Leftovers single;
    for (const char& byte : bytes) single.feed({&byte, 1});
    ASSERT_EQ(whole.undo(), single.undo()) << testing::PrintToString(bytes);
    Leftovers parts;
    for (std::string_view rest = bytes; !rest.empty();) {
      const size_t n = std::min<size_t>(rest.size(), random() % 150);
      parts.feed(rest.substr(0, n));
      rest.remove_prefix(n);
    }
    ASSERT_EQ(whole.undo(), parts.undo()) << testing::PrintToString(bytes);
  }
}

TEST(LeftoversScanner, UndoOfItsUndoIsNothing) {
  for (const std::string& output : {std::string(kBusy), everything()}) {
    Leftovers leftovers;
    leftovers.feed(output);
    leftovers.feed(leftovers.undo());
    EXPECT_TRUE(leftovers.empty());
  }
}

TEST(LeftoversScanner, EverythingOnFitsTheBuffer) {
  Leftovers leftovers;
  leftovers.feed(everything());
  const std::string undo = leftovers.undo();
  EXPECT_LT(undo.size(), Leftovers::kMostBytes);
  EXPECT_EQ("\x1b]119\x1b\\", undo.substr(undo.size() - 7)) << "the last thing of all is there";
  leftovers.park();
  EXPECT_LT(leftovers.redo().size(), Leftovers::kMostBytes);
}

TEST(LeftoversScanner, ClearForgetsEverything) {
  Leftovers leftovers;
  leftovers.feed(everything());
  leftovers.clear();
  EXPECT_TRUE(leftovers.empty());
  EXPECT_EQ("", leftovers.redo());
}

TEST(LeftoversParked, ParkedThingsAreNotUndoneTwiceAndComeBack) {
  Leftovers leftovers;
  const std::string output =
      "\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[>5u\x1b[?1h\x1b[?2004h\x1b[?25l\x1b[6 q\x1b=\x1b[>4;2m";
  leftovers.feed(output);
  const std::string undo = leftovers.undo();
  leftovers.park();
  EXPECT_TRUE(leftovers.empty());
  const std::string redo = leftovers.redo();
  EXPECT_EQ("\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[>5u\x1b[?1h\x1b[?25l\x1b[?2004h\x1b=\x1b[6 q\x1b[>4;2m", redo);
  leftovers.feed(redo);
  EXPECT_EQ(undo, leftovers.undo());
  EXPECT_EQ("", leftovers.redo()) << "once is enough";
}

TEST(LeftoversParked, WhatIsTurnedOffMeanwhileStaysOff) {
  Leftovers leftovers;
  leftovers.feed("\x1b[?2004h\x1b[?1000h\x1b[?1004h");
  leftovers.park();
  leftovers.feed("\x1b[?2004l\x1b[?1004h");
  EXPECT_EQ("\x1b[?1000h", leftovers.redo());
}

TEST(LeftoversParked, ParkingTwiceLosesNothing) {
  Leftovers leftovers;
  leftovers.feed("\x1b[?2004h\x1b[>1u");
  leftovers.park();
  leftovers.feed("\x1b[?1000h");
  leftovers.park();
  EXPECT_EQ("\x1b[>1u\x1b[?1000h\x1b[?2004h", leftovers.redo());
}

TEST(LeftoversScanner, CanBeAskedWhileItIsFed) {
  Leftovers leftovers;
  std::atomic<bool> done{false};
  std::jthread asker([&] {
    while (!done) {
      EXPECT_LT(leftovers.undo().size(), Leftovers::kMostBytes);
      leftovers.park();
    }
  });
  for (int i = 0; i < 2000; i++) leftovers.feed(kBusy);
  done = true;
  asker.join();
}

}  // namespace
}  // namespace term
