// SPDX-License-Identifier: Apache-2.0
#include "loop/lines.h"

#include <gtest/gtest.h>

#include "loop/event_tags.h"
#include "loop/promise.h"

namespace {

using loop::Lines;
using Texts = std::vector<std::string>;

struct Watched {
  explicit Watched(vt::Size size = {80, 24})
      : lines(size, [this](std::string_view t) { seen.emplace_back(t); }) {}

  Texts take() { return std::exchange(seen, {}); }

  Texts seen;
  Lines lines;
};

Texts seen(std::string_view bytes, vt::Size size = {80, 24}) {
  Watched watched(size);
  watched.lines.feed(bytes);
  watched.lines.pause();
  return watched.seen;
}

bool promised(const Texts& lines) {
  loop::Promise promise("LOOP_COMPLETE", config::PromiseMatch::line, "");
  for (const auto& line : lines) promise.line(line, false);
  return promise.made();
}

// The seed's test_completion_promise_extraction.
TEST(Lines, CompletionPromiseExtraction) {
  Watched watched;
  watched.lines.feed("\x1b[1;36m  Thinking...\x1b[0m\r\n");
  watched.lines.feed("\x1b[2K\x1b[1;32m  Done!\x1b[0m\r\n");
  watched.lines.feed("\x1b[33mLOOP_COMPLETE\x1b[0m\r\n");
  EXPECT_EQ(watched.seen, (Texts{"  Thinking...", "  Done!", "LOOP_COMPLETE"}));
  EXPECT_TRUE(promised(watched.seen));
}

// The seed's test_event_tag_extraction.
TEST(Lines, EventTagExtraction) {
  Watched watched;
  watched.lines.feed("\x1b[90m<event topic=\"build.done\">\x1b[0m\r\n");
  watched.lines.feed("Task completed successfully\r\n");
  watched.lines.feed("\x1b[90m</event>\x1b[0m\r\n");
  EXPECT_EQ(watched.seen, (Texts{"<event topic=\"build.done\">", "Task completed successfully", "</event>"}));
  loop::EventTags tags;
  for (const auto& line : watched.seen) tags.line(line);
  EXPECT_EQ(tags.take(), (std::vector<loop::AgentEvent>{{"build.done", "", "Task completed successfully"}}));
}

TEST(Lines, TheLastOneCountsWhenNothingFollows) {
  Watched watched;
  watched.lines.feed("a\r\nLOOP_");
  EXPECT_EQ(watched.take(), (Texts{"a"}));
  watched.lines.pause();
  EXPECT_EQ(watched.take(), (Texts{"LOOP_"}));
  watched.lines.pause();
  EXPECT_EQ(watched.take(), (Texts{}));
  watched.lines.feed("COMPLETE\r\n");
  EXPECT_EQ(watched.take(), (Texts{"LOOP_COMPLETE"}));
}

TEST(Lines, ARowDrawnAgainAsItWasIsNotTakenAgain) {
  const std::string frame = "● Working\r\n  step 1\r\n> ";
  const std::string erase = "\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G";
  EXPECT_EQ(seen(frame + erase + frame + erase + frame), (Texts{"● Working", "  step 1", ">"}));
  EXPECT_EQ(seen(frame + erase + "● Working\r\n  step 2\r\n> "),
            (Texts{"● Working", "  step 1", ">", "  step 2"}));
}

TEST(Lines, WhatIsDrawnAndErasedAtOnceWasThere) {
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b[2K\rother"), (Texts{"LOOP_COMPLETE", "other"}));
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b[2J\x1b[Hother"), (Texts{"LOOP_COMPLETE", "other"}));
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b[1K"), (Texts{"LOOP_COMPLETE"}));
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b[13D\x1b[X\x1b[13C"), (Texts{"LOOP_COMPLETE", " OOP_COMPLETE"}));
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b"
                 "c"),
            (Texts{"LOOP_COMPLETE"}));
}

TEST(Lines, PiecesOfARowAreOneLine) {
  EXPECT_EQ(seen("\x1b[5;3HLOOP_\x1b[5;8HCOMPLETE\x1b[1;1H"), (Texts{"  LOOP_COMPLETE"}));
  EXPECT_EQ(seen("\x1b[5;8HCOMPLETE\x1b[5;3HLOOP_\x1b[1;1H"), (Texts{"  LOOP_COMPLETE"}));
  EXPECT_EQ(seen("a\tb\x1b[Cc\r\n"), (Texts{"a       b c"}));
  // A row that is drawn over in part reads as it stands then.
  EXPECT_EQ(seen("LOOP_xxxxxxxx\x1b[H\n\x1b[1;6HCOMPLETE\r\n"), (Texts{"LOOP_xxxxxxxx", "LOOP_COMPLETE"}));
}

TEST(Lines, AShorterTextAndWhatItErasesBehindItAreOneLine) {
  EXPECT_EQ(seen("Downloading it\r\n\x1b[ADone\x1b[K\r\n"), (Texts{"Downloading it", "Done"}));
  EXPECT_EQ(seen("LOOP_COMPLETE, not yet\r\n\x1b[1;14H\x1b[K\r\n"),
            (Texts{"LOOP_COMPLETE, not yet", "LOOP_COMPLETE"}));
}

TEST(Lines, ProgressInOneRowIsALineEach) {
  EXPECT_EQ(seen("10%\r20%\r20%\r100%\r\n"), (Texts{"10%", "20%", "100%"}));
  EXPECT_EQ(seen("10%\r\n"), (Texts{"10%"}));
  EXPECT_EQ(seen("x |\b/\b-"), (Texts{"x |", "x /", "x -"}));
}

TEST(Lines, ScrolledOffWithinOneFeed) {
  std::string bytes;
  Texts wanted;
  for (int i = 0; i < 500; i++) {
    wanted.push_back(i == 7 ? "LOOP_COMPLETE" : "line " + std::to_string(i));
    bytes += wanted.back() + "\r\n";
  }
  EXPECT_EQ(seen(bytes), wanted);
  EXPECT_EQ(seen("\x1b[?1049h" + bytes + "\x1b[?1049l"), wanted);
  EXPECT_EQ(seen("\x1b[3;9r\x1b[3;1H" + bytes), wanted);
  EXPECT_EQ(seen(bytes, {80, 1}), wanted);
}

TEST(Lines, TheSameTextInAnotherRowIsAnotherLine) {
  EXPECT_EQ(seen("same\r\nsame\r\n"), (Texts{"same", "same"}));
  std::string bytes;
  for (int i = 0; i < 100; i++) bytes += "same\r\n";
  EXPECT_EQ(seen(bytes), Texts(100, "same"));
  EXPECT_EQ(seen("\x1b[?1049h" + bytes), Texts(100, "same"));
  EXPECT_EQ(seen("\x1b[2;5r\x1b[2;1H" + bytes), Texts(100, "same"));
}

TEST(Lines, TheAlternateScreenLeftInTheSameFeed) {
  EXPECT_EQ(seen("$ vi\r\n\x1b[?1049h\x1b[HLOOP_COMPLETE\x1b[?1049l$ "),
            (Texts{"$ vi", "LOOP_COMPLETE", "$"}));
  EXPECT_EQ(seen("\x1b[?47hLOOP_COMPLETE\x1b[?47l"), (Texts{"LOOP_COMPLETE"}));
  // A new screen is a new place.
  const std::string visit = "\x1b[?1049h\x1b[HLOOP_COMPLETE\x1b[?1049l";
  EXPECT_EQ(seen(visit + visit), (Texts{"LOOP_COMPLETE", "LOOP_COMPLETE"}));
}

TEST(Lines, WrappedRowsAreJoined) {
  const std::string text = "This is longer than twenty columns are: LOOP_COMPLETE follows.";
  EXPECT_EQ(seen(text + "\r\nLOOP_COMPLETE\r\n", {20, 5}), (Texts{text, "LOOP_COMPLETE"}));
  EXPECT_EQ(seen(text, {20, 2}), (Texts{text}));
  EXPECT_EQ(seen(text, {20, 1}), (Texts{text}));
  EXPECT_EQ(seen("\x1b[?1049h" + text, {20, 5}), (Texts{text}));
  EXPECT_EQ(seen(std::string(20, 'x') + "\r\ny", {20, 5}), (Texts{std::string(20, 'x'), "y"}));
  EXPECT_EQ(seen("123456789012345678901234567日本", {20, 5}), (Texts{"123456789012345678901234567日本"}));
  EXPECT_EQ(seen("1234567890123456789日本", {20, 5}), (Texts{"1234567890123456789日本"}));
}

TEST(Lines, ALineLongerThanAllRowsComesInPieces) {
  std::string text;
  for (int i = 0; i < 2000; i++) text += std::to_string(i) + ',';
  for (const std::string_view before : {"", "\x1b[?1049h", "\x1b[2;4r\x1b[2H"}) {
    std::string all;
    for (const auto& line : seen(std::string(before) + text + "\r\n", {20, 6})) all += line;
    EXPECT_TRUE(all == text) << before;
  }
}

TEST(Lines, InsertedAndDeletedLines) {
  EXPECT_EQ(seen("one\r\ntwo\x1b[1;1H\x1b[LLOOP_COMPLETE\x1b[H\x1b[M"),
            (Texts{"one", "two", "LOOP_COMPLETE"}));
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b[L"), (Texts{"LOOP_COMPLETE"}));
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b[M"), (Texts{"LOOP_COMPLETE"}));
  EXPECT_EQ(seen("LOOP_COMPLETE\x1b[S"), (Texts{"LOOP_COMPLETE"}));
  EXPECT_EQ(seen("\x1b[24HLOOP_COMPLETE\x1b[T"), (Texts{"LOOP_COMPLETE"}));
  // What moved along is known at its new place.
  EXPECT_EQ(seen("one\r\ntwo\x1b[1;1H\x1b[L\x1b[2;1Hone\x1b[3;1Htwo"), (Texts{"one", "two"}));
}

TEST(Lines, ReverseIndexAtTheTop) {
  EXPECT_EQ(seen("\x1b[24;1Hlast\x1b[1;1HLOOP_COMPLETE\x1bM\rabove\x1bM\rfirst"),
            (Texts{"last", "LOOP_COMPLETE", "above", "first"}));
}

TEST(Lines, InsertedAndDeletedCharacters) {
  EXPECT_EQ(seen("OOP_COMPLETE\r\n\x1b[A\x1b[@L\r\n"), (Texts{"OOP_COMPLETE", "LOOP_COMPLETE"}));
  EXPECT_EQ(seen("xLOOP_COMPLETE\r\n\x1b[A\x1b[P\r\n"), (Texts{"xLOOP_COMPLETE", "LOOP_COMPLETE"}));
}

TEST(Lines, WideAndCombinedCharacters) {
  EXPECT_EQ(seen("● 日本語 e\xCC\x81 👩‍👩‍👧 ok\r\n"),
            (Texts{"● 日本語 e\xCC\x81 👩‍👩‍👧 ok"}));
}

TEST(Lines, RepeatedCharacters) {
  EXPECT_EQ(seen("-\x1b[4b>\r\n"), (Texts{"----->"}));
  EXPECT_EQ(seen("-\x1b[29b>\r\n", {20, 5}), (Texts{"-", std::string(30, '-') + ">"}));
}

TEST(Lines, BlankRowsAreNone) { EXPECT_EQ(seen("\r\n   \r\n\x1b[2J\x1b[K"), Texts{}); }

TEST(Lines, BrokenInputIsHarmless) {
  EXPECT_EQ(seen("a\xE2\x82\r\nb"), (Texts{"a\xEF\xBF\xBD", "b"}));
  EXPECT_EQ(seen("\x1b[12\xE2\x82\xACx\r\n"), (Texts{"x"}));
  EXPECT_EQ(seen("a\x1b]0;title\x07"
                 "b\x1bPq#0\x1b\\c\x1b_apc\x1b\\d"),
            (Texts{"abcd"}));
}

TEST(Lines, AResizeTakesWhatIsThere) {
  Watched watched({20, 5});
  watched.lines.feed("LOOP_COMPLETE");
  watched.lines.resize({10, 3});
  EXPECT_EQ(watched.take(), (Texts{"LOOP_COMPLETE"}));
  watched.lines.feed("\r\nnext one\r\n");
  EXPECT_EQ(watched.take(), (Texts{"next one"}));
}

TEST(Lines, OfAPipe) {
  Watched watched;
  watched.lines.feed_plain("one\n\n\x1b[32mtw");
  watched.lines.feed_plain("o\x1b[0m\r\nlonger than a screen is: ");
  EXPECT_EQ(watched.take(), (Texts{"one", "", "two"}));
  watched.lines.feed_plain(std::string(100, 'x') + "\n10%\r20%\rLOOP_COMPLETE");
  EXPECT_EQ(watched.take(), (Texts{"longer than a screen is: " + std::string(100, 'x'), "10%", "20%"}));
  watched.lines.pause();
  EXPECT_EQ(watched.take(), (Texts{"LOOP_COMPLETE"}));
  watched.lines.feed_plain("\nnext");
  watched.lines.pause();
  watched.lines.feed_plain(" one\n");
  EXPECT_EQ(watched.take(), (Texts{"next", "next one"}));
}

TEST(Lines, OfAPipeAreBounded) {
  Watched watched;
  for (int i = 0; i < 300; i++) watched.lines.feed_plain(std::string(1000, 'x'));
  EXPECT_EQ(watched.seen.size(), 4U);
  EXPECT_EQ(watched.seen[0].size(), 65536U);
}

}  // namespace
