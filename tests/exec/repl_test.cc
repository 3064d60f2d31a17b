// SPDX-License-Identifier: Apache-2.0
#include "exec/repl.h"

#include <gtest/gtest.h>

namespace exec {
namespace {

using Step = ReplText::Step;

ReplText make(Repl repl, std::string_view text) { return std::move(*ReplText::make(repl, text)); }

// Behind an output it is asked what its prompt is.
void expect_done(ReplText& text, std::string_view prompt, Output& out) {
  ASSERT_EQ(Step::type, text.settled(prompt, out));
  EXPECT_EQ("\r", text.next_line());
  text.feed("\r\n" + std::string(prompt), out);
  EXPECT_EQ(Step::done, text.settled(prompt, out));
}

TEST(ReplText, TakesTheOutputBehindTheEcho) {
  for (const size_t piece : {1, 3, 1000}) {
    ReplText text = make(Repl::python, "print(1)");
    Output out(Keep::everything, 1000);
    EXPECT_EQ("print(1)\r", text.next_line());
    std::string_view bytes = "print(1)\r\n1\r\n>>> ";
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
      text.feed(bytes.substr(0, piece), out);
    expect_done(text, ">>> ", out);
    EXPECT_EQ("1\n", out.text());
  }
}

TEST(ReplText, FindsAnEchoThatWasBrokenAtTheEdge) {
  ReplText text = make(Repl::python, "abcdef");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("abc\r\ndef\r\n6\r\n>>> ", out);
  expect_done(text, ">>> ", out);
  EXPECT_EQ("6\n", out.text());
}

TEST(ReplText, LeavesOutWhatReadlineAdds) {
  ReplText text = make(Repl::sqlite, "select 1;");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("select 1;\r\n\x1b[?2004l", out);
  text.feed("\r1\r\n\x1b[?2004hsqlite> ", out);
  expect_done(text, "sqlite> ", out);
  EXPECT_EQ("1\n", out.text());
}

TEST(ReplText, TypesOneLineAfterTheOtherAndClosesABlock) {
  ReplText text = make(Repl::python, "if 1:\n  print(2)\n");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("if 1:\r\n... ", out);
  EXPECT_EQ(Step::type, text.settled("... ", out));
  EXPECT_EQ("  print(2)\r", text.next_line());
  text.feed("  print(2)\r\n... ", out);
  EXPECT_EQ(Step::type, text.settled("... ", out));
  EXPECT_EQ("\r", text.next_line());
  text.feed("\r\n2\r\n>>> ", out);
  expect_done(text, ">>> ", out);
  EXPECT_EQ("2\n", out.text());
}

TEST(ReplText, LeavesOutAPromptOfSeveralLines) {
  ReplText text = make(Repl::gdb, "print 1");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("print 1\r\n$1 = 1\r\none\r\n(gdb) ", out);
  ASSERT_EQ(Step::type, text.settled("(gdb) ", out));
  EXPECT_EQ("#\r", text.next_line());
  text.feed("#\r\none\r\n(gdb) ", out);
  EXPECT_EQ(Step::done, text.settled("(gdb) ", out));
  EXPECT_EQ("$1 = 1\n", out.text());
  EXPECT_EQ(7U, out.count());
}

TEST(ReplText, APromptThatWasNotBehindTheOutputIsStrange) {
  ReplText text = make(Repl::sqlite, "select 1;");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("select 1;\r\n1\r\nsqlite> ", out);
  ASSERT_EQ(Step::type, text.settled("sqlite> ", out));
  text.next_line();
  text.feed("\r\nanother\r\nsqlite> ", out);
  EXPECT_EQ(Step::strange, text.settled("sqlite> ", out));
}

TEST(ReplText, WithoutOutputNothingIsAsked) {
  ReplText text = make(Repl::python, "x = 1");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("x = 1\r\n>>> ", out);
  EXPECT_EQ(Step::done, text.settled(">>> ", out));
}

TEST(ReplText, SaysWhenItIsAskedSomethingElse) {
  ReplText text = make(Repl::python, "input('name: ')");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("input('name: ')\r\nname: ", out);
  EXPECT_EQ(Step::asks, text.settled("name: ", out));
  EXPECT_EQ("name: ", out.text());
}

TEST(ReplText, NeverGuessesWithoutTheEcho) {
  ReplText text = make(Repl::python, "print(1)");
  Output out(Keep::everything, 1000);
  text.next_line();
  text.feed("something else\r\n>>> ", out);
  EXPECT_EQ(Step::strange, text.settled(">>> ", out));
}

TEST(ReplText, KeepsNothingOfAFloodInFrontOfTheEcho) {
  const std::string flood = std::string(64 << 10, '\n') + std::string(64 << 10, 'x');
  ReplText python = make(Repl::python, std::string(1000, 'y'));
  ReplText node = make(Repl::node, "1");
  Output out(Keep::everything, 1000);
  python.next_line();
  node.next_line();
  for (int i = 0; i < 100; i++) {
    python.feed(flood, out);
    node.feed(flood, out);
    ASSERT_LT(python.memory(), 64U << 10);
    ASSERT_LT(node.memory(), 64U << 10);
  }
  EXPECT_EQ(Step::strange, python.settled(">>> ", out));
  EXPECT_EQ(0U, out.count());
}

TEST(ReplText, RefusesWhatAReplActsOn) {
  EXPECT_FALSE(ReplText::make(Repl::python, "print('\t')"));
  EXPECT_FALSE(ReplText::make(Repl::node, "{a: 1}"));
  EXPECT_FALSE(ReplText::make(Repl::python, std::string(100 << 10, 'x')));
}

}  // namespace
}  // namespace exec
