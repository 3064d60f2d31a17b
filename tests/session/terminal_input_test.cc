// SPDX-License-Identifier: Apache-2.0
#include "session/terminal_input.h"

#include <gtest/gtest.h>

namespace session {
namespace {

// What the program gets when the input comes in one piece, and byte by byte.
std::string in_one_piece(std::string_view input, Answers answers) {
  TerminalInput from;
  std::string bytes = from.take(input, answers).bytes;
  return bytes + from.release();
}
std::string byte_by_byte(std::string_view input, Answers answers) {
  TerminalInput from;
  std::string bytes;
  for (const char each : input) bytes += from.take({&each, 1}, answers).bytes;
  return bytes + from.release();
}

constexpr std::string_view kAnswers[] = {
    "\x1b[?62;1;22c",                     // DA1
    "\x1b[>41;354;0c",                    // DA2
    "\x1bP!|00000000\x1b\\",              // DA3
    "\x1b[24;80R",                        // CPR
    "\x1b[1;80R",                         // of the first row
    "\x1b[?24;80R",                       // DECXCPR
    "\x1b[0n",                            // DSR
    "\x1b[?997;1n",                       // colour scheme
    "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\",  // a colour of the palette
    "\x1b]10;rgb:ffff/ffff/ffff\x07",     // foreground
    "\x1b]11;rgb:0000/0000/0000\x1b\\",   // background
    "\x1b]12;rgb:ffff/ffff/ffff\x1b\\",   // cursor
    "\x1b]52;c;aGVsbG8=\x1b\\",           // clipboard
    "\x1b[?2026;2$y",                     // DECRPM
    "\x1b[4;2$y",                         // of an ANSI mode
    "\x1bP>|XTerm(380)\x1b\\",            // XTVERSION
    "\x1bP1$r0m\x1b\\",                   // DECRQSS
    "\x1bP1+r544e=787465726d\x1b\\",      // XTGETTCAP
    "\x1b[?5u",                           // keyboard flags
    "\x1b[8;24;80t",                      // window
    "\x1b[2;1;1;112;112;1;0x",            // DECREPTPARM
    "\x1b[?1;0;256S",                     // XTSMGRAPHICS
    "\x1b[>4;2m",                         // XTQMODKEYS
    "\x1b_Gi=31;OK\x1b\\",                // pictures
};

TEST(TerminalInput, DropsEveryAnswerAndNothingElse) {
  for (const std::string_view answer : kAnswers) {
    const std::string input = "a" + std::string(answer) + "b";
    EXPECT_EQ("ab", in_one_piece(input, Answers::drop)) << answer.substr(1);
    EXPECT_EQ("ab", byte_by_byte(input, Answers::drop)) << answer.substr(1);
    EXPECT_EQ(input, in_one_piece(input, Answers::pass)) << answer.substr(1);
    EXPECT_EQ(input, byte_by_byte(input, Answers::pass)) << answer.substr(1);
  }
  std::string all;
  for (const std::string_view answer : kAnswers) all += answer;
  EXPECT_EQ("", in_one_piece(all, Answers::drop));
}

TEST(TerminalInput, LetsEveryKeyPass) {
  for (const std::string_view keys : {"x",
                                      "\r",
                                      "\x03",
                                      "\x1b",
                                      "\x1b\x1b",
                                      "\x1bx",
                                      "\x1b[A",
                                      "\x1bOA",
                                      "\x1bOR",
                                      "\x1b\x1b[A",
                                      "\x1b[15~",
                                      "\x1b[1;5C",
                                      "\x1b[1;2R",
                                      "\x1b[R",
                                      "\x1b[13;2~",
                                      "\x1b[[A",
                                      "\x1b[2$",
                                      "\x1b[97;5u",
                                      "\x1b[27;5;97~",
                                      "\x1b[Z",
                                      "\x1b[I",
                                      "\x1b[<0;10;20M",
                                      "\x1b[<0;10;20m",
                                      "\x1b[M !!",
                                      "\x1b]",
                                      "\x1b]x",
                                      "\x1b]4\r",
                                      "\x1bP",
                                      "\x1bPq",
                                      "\x1b_",
                                      "\x1b_x",
                                      "\x1b[",
                                      "\x1b[1",
                                      "\xc3\xa9",
                                      "\x1b\xc3\xa9",
                                      "\x1b]4;\x1b[A",
                                      "\x1b[1\x1b[B",
                                      "\x1b]4;1\x03"}) {
    EXPECT_EQ(keys, in_one_piece(keys, Answers::drop)) << keys.substr(1);
    EXPECT_EQ(keys, byte_by_byte(keys, Answers::drop)) << keys.substr(1);
    EXPECT_EQ(keys, byte_by_byte(keys, Answers::pass)) << keys.substr(1);
  }
}

TEST(TerminalInput, HoldsOnlyWhatMayBecomeAnAnswer) {
  TerminalInput from;
  EXPECT_EQ("abc", from.take("abc", Answers::drop).bytes);
  EXPECT_FALSE(from.holds());
  EXPECT_EQ("", from.take("\x1b", Answers::drop).bytes);
  EXPECT_TRUE(from.holds());
  EXPECT_EQ("\x1b", from.release());
  EXPECT_FALSE(from.holds());
  EXPECT_EQ("\x1b[A", from.take("\x1b[A", Answers::drop).bytes);
  EXPECT_FALSE(from.holds());
  EXPECT_EQ("\x1b", from.take("\x1b", Answers::pass).bytes);
  EXPECT_FALSE(from.holds()) << "the one that answers is never kept waiting";
}

TEST(TerminalInput, AnAnswerBehindAnUnfinishedSequenceIsDropped) {
  EXPECT_EQ("\x1b[1", in_one_piece("\x1b[1\x1b[?1;2c", Answers::drop));
  EXPECT_EQ("\x1b]4;", in_one_piece("\x1b]4;\x1b[?1;2c", Answers::drop));
  EXPECT_EQ("\x1b]4;", byte_by_byte("\x1b]4;\x1b[?1;2c", Answers::drop));
}

TEST(TerminalInput, ACursorInTheFirstRowIsF3UnlessItWasAskedFor) {
  EXPECT_EQ("\x1b[1;2R", in_one_piece("\x1b[1;2R", Answers::drop));
  EXPECT_EQ("", in_one_piece("\x1b[1;2R", Answers::drop_doubtful));
  EXPECT_EQ("\x1b[1;2R", in_one_piece("\x1b[1;2R", Answers::pass));
}

TEST(TerminalInput, NeverTouchesAPaste) {
  for (const std::string_view answer : kAnswers) {
    const std::string pasted = "\x1b[200~" + std::string(answer) + "\x1b[20\x1b[201~";
    EXPECT_EQ(pasted + "x", in_one_piece(pasted + "\x1b[?1;2cx", Answers::drop));
    EXPECT_EQ(pasted + "x", byte_by_byte(pasted + "\x1b[?1;2cx", Answers::drop));
  }
  // Begun while all passed.
  TerminalInput from;
  from.take("\x1b[200~one", Answers::pass);
  EXPECT_EQ("\x1b[?1;2c", from.take("\x1b[?1;2c", Answers::drop).bytes);
  from.take("\x1b[201~", Answers::drop);
  EXPECT_EQ("", from.take("\x1b[?1;2c", Answers::drop).bytes);
}

TEST(TerminalInput, WhatHasBegunToPassPassesToItsEnd) {
  TerminalInput from;
  EXPECT_EQ("\x1b[?1", from.take("\x1b[?1", Answers::pass).bytes);
  EXPECT_EQ(";2c", from.take(";2c", Answers::drop).bytes);
  EXPECT_EQ("", from.take("\x1b[?1;2c", Answers::drop).bytes);
  EXPECT_EQ("", from.take("\x1b[?1", Answers::drop).bytes);
  EXPECT_EQ("\x1b[?1;2c", from.take(";2c", Answers::pass).bytes);
}

TEST(TerminalInput, KnowsWhatWasTypedFromWhatWasAnswered) {
  TerminalInput from;
  EXPECT_FALSE(from.take("\x1b[?1;2c", Answers::pass).typed);
  EXPECT_FALSE(from.take("\x1b[?1;2c", Answers::drop).typed);
  EXPECT_TRUE(from.take("x\x1b[?1;2c", Answers::drop).typed);
  EXPECT_TRUE(from.take("\x1b[A", Answers::pass).typed);
}

TEST(TerminalInput, AnAnswerWithoutEndIsHeldUpToABound) {
  TerminalInput from;
  std::string passed = from.take("\x1b]52;c;", Answers::drop).bytes;
  const std::string piece(1000, 'x');
  for (int i = 0; i < 100; i++) passed += from.take(piece, Answers::drop).bytes;
  EXPECT_EQ("\x1b]52;c;" + std::string(100'000, 'x'), passed);
}

}  // namespace
}  // namespace session
