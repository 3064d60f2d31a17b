// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vt/picture.h"
#include "vt/snapshot.h"
#include "vt/text_view.h"

namespace vt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(TextView, CutsBlanksAndKeepsEmptyRows) {
  Screen screen({10, 3});
  screen.feed("a  \r\n\r\n b");
  EXPECT_THAT(rows(screen), ElementsAre("a", "", " b"));
}

TEST(TextView, JoinsWhatWasWrappedAlsoFromTheScrollback) {
  Screen screen({4, 2});
  screen.feed("abcdefghij\r\nxy");
  EXPECT_THAT(rows(screen), ElementsAre("ij", "xy"));
  EXPECT_THAT(rows(screen, 1), ElementsAre("efgh", "ij", "xy"));
  EXPECT_THAT(lines(screen, 99), ElementsAre("abcdefghij", "xy"));
}

TEST(TextView, ShowsTheNeighbourhoodOfTheCursor) {
  Screen screen({10, 4});
  screen.feed("1\r\n2\r\n3\r\n4\r\n5\x1b[2;1H");
  EXPECT_THAT(around_cursor(screen, {1, 1}), ElementsAre("2", "3", "4"));
  EXPECT_THAT(around_cursor(screen, {9, 0}), ElementsAre("1", "2", "3"));
  EXPECT_THAT(around_cursor(screen, {0, 9}), ElementsAre("3", "4", "5"));
}

TEST(JsonView, HasTextRunsCursorAndModes) {
  Screen screen({6, 2});
  screen.feed("\x1b]2;a \"title\"\\\a\x1b[?2004ha\x1b[1;31;48;2;1;2;3mb\x1b[m\x1b]133;D;3\a");
  EXPECT_EQ(
      "{\"columns\":6,\"rows\":2,\"alternate\":false,\"cursor\":{\"x\":2,\"y\":0,\"visible\":true,"
      "\"wrap_pending\":false,\"shape\":0},\"title\":\"a "
      "\\\"title\\\"\\\\\",\"icon\":\"\",\"directory\":\"\","
      "\"modes\":{\"bracketed_paste\":true},\"first_row\":0,\"lines\":[{\"text\":\"ab\",\"runs\":[{\"x\":1,"
      "\"columns\":1,\"bold\":true,\"fg\":1,\"bg\":\"#010203\"}],\"marks\":[{\"kind\":\"done\",\"x\":2,"
      "\"status\":3}]},{\"text\":\"\"}]}",
      json(screen));
}

TEST(Pictures, EscapeWhatTheProgramPrinted) {
  Screen screen({60, 2});
  screen.feed("<script>alert('x')</script>&\"");
  for (const std::string& picture : {html(screen), svg(screen)}) {
    EXPECT_THAT(picture, Not(HasSubstr("<script")));
    EXPECT_THAT(picture, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"));
  }
}

TEST(Pictures, MakeLinksOnlyOfWhatIsSafe) {
  Screen screen({60, 2});
  screen.feed("\x1b]8;;https://example.org/?a=1&b=\"2\"\aok\x1b]8;;javascript:alert(1)\abad");
  EXPECT_THAT(html(screen), HasSubstr("href=\"https://example.org/?a=1&amp;b=&quot;2&quot;\""));
  EXPECT_THAT(html(screen), Not(HasSubstr("javascript")));
  EXPECT_THAT(svg(screen), Not(HasSubstr("javascript")));
}

TEST(Pictures, ShowColoursWideCharactersAndTheCursor) {
  Screen screen({20, 2});
  screen.feed("\x1b[31mred\x1b[7minv\x1b[m日");
  const std::string page = html(screen);
  EXPECT_THAT(page, HasSubstr("color:#cc342b"));
  EXPECT_THAT(page, HasSubstr("background:#cc342b"));
  EXPECT_THAT(page, HasSubstr("width:2ch"));
  EXPECT_THAT(page, HasSubstr("class=\"cursor\""));
  screen.feed("\x1b[?25l");
  EXPECT_THAT(html(screen), Not(HasSubstr("class=\"cursor\"")));
  EXPECT_THAT(svg(screen), HasSubstr("<rect x="));
  screen.feed("\r\na  b");
  EXPECT_THAT(svg(screen), HasSubstr(">a\u00a0\u00a0b<"));
}

TEST(Snapshot, OfAnEmptyScreenIsShort) {
  const Screen screen({80, 24});
  EXPECT_LT(snapshot(screen, Include::scrollback).size(), 40U);
}

TEST(Snapshot, UsesNoSequenceOfOurOwn) {
  Screen screen({20, 5});
  screen.feed("plain \x1b[1;31mred\x1b[m and more that wraps\r\n\x1b[?1049hfull");
  // Everything but DECRSPS, which only places that no cursor movement reaches need.
  EXPECT_THAT(snapshot(screen, Include::scrollback), Not(HasSubstr("\x1bP")));
}

TEST(Generation, ChangesWithEveryFeedAndResize) {
  Screen screen({20, 5});
  const uint64_t first = screen.generation();
  screen.feed("");
  EXPECT_EQ(first, screen.generation());
  screen.feed("x");
  const uint64_t second = screen.generation();
  EXPECT_NE(first, second);
  screen.resize({21, 5});
  EXPECT_NE(second, screen.generation());
}

TEST(Marks, AreFoundFromTheNewestBack) {
  Screen screen({10, 3});
  screen.feed("\x1b]133;A\a$ a\r\n\x1b]133;C\ax\r\n\x1b]133;D;2\a\x1b]133;A\a$ b\r\ny\r\n");
  const auto all = screen.marks();
  ASSERT_EQ(4U, all.size());
  EXPECT_EQ(-2, all[0].y);
  EXPECT_EQ(MarkKind::done, all[2].mark.kind);
  EXPECT_EQ(2, all[2].mark.status);
  const auto last = screen.marks(1);
  ASSERT_EQ(1U, last.size());
  EXPECT_EQ(MarkKind::prompt, last[0].mark.kind);
}

}  // namespace
}  // namespace vt
