// SPDX-License-Identifier: Apache-2.0
#include "loop/event_tags.h"

#include <gtest/gtest.h>

namespace {

using loop::AgentEvent;
using loop::EventTags;

std::vector<AgentEvent> events(const std::vector<std::string>& lines) {
  EventTags tags;
  for (const auto& line : lines) tags.line(line);
  return tags.take();
}

TEST(EventTags, OnOneLine) {
  EXPECT_EQ(events({"● <event topic=\"build.done\">tests: pass</event> and on"}),
            (std::vector<AgentEvent>{{"build.done", "", "tests: pass"}}));
  EXPECT_EQ(events({"<event topic=\"a\"></event>"}), (std::vector<AgentEvent>{{"a", "", ""}}));
  EXPECT_EQ(events({"I send <event topic=\"a\">x</event> and <event topic=\"b\">y</event>"}),
            (std::vector<AgentEvent>{{"a", "", "x"}, {"b", "", "y"}}));
}

TEST(EventTags, AttributesInAnyOrderAndQuotes) {
  const std::vector<AgentEvent> wanted{{"t", "who", "p"}};
  EXPECT_EQ(events({"<event topic=\"t\" target=\"who\">p</event>"}), wanted);
  EXPECT_EQ(events({"<event target='who'  topic='t'>p</event>"}), wanted);
  EXPECT_EQ(events({"<event\ttopic = \"t\" target='who' id=\"7\" >  p  </event>"}), wanted);
  EXPECT_EQ(events({"<event topic=\"it's\">p</event>"}), (std::vector<AgentEvent>{{"it's", "", "p"}}));
}

TEST(EventTags, OverSeveralLines) {
  EventTags tags;
  EXPECT_FALSE(tags.line("now:"));
  EXPECT_TRUE(tags.line("<event topic=\"build.done\">"));
  EXPECT_TRUE(tags.line("Task completed successfully"));
  EXPECT_TRUE(tags.line("  LOOP_COMPLETE"));
  EXPECT_TRUE(tags.take().empty());
  EXPECT_TRUE(tags.line("</event>"));
  EXPECT_FALSE(tags.line("LOOP_COMPLETE"));
  EXPECT_EQ(tags.take(),
            (std::vector<AgentEvent>{{"build.done", "", "Task completed successfully\n  LOOP_COMPLETE"}}));
  EXPECT_TRUE(tags.take().empty());
}

TEST(EventTags, InABox) {
  EXPECT_EQ(events({"│ <event topic=\"a\">  │", "│ - one             │", "│   two | three     │",
                    "│ </event>          │"}),
            (std::vector<AgentEvent>{{"a", "", "- one\n   two | three"}}));
}

TEST(EventTags, DrawnAgainCountOnce) {
  const std::string line = "<event topic=\"a\">x</event>";
  EXPECT_EQ(events({line, "  " + line, "<event topic=\"a\" target=\"b\">x</event>", line}),
            (std::vector<AgentEvent>{{"a", "", "x"}, {"a", "b", "x"}}));
}

TEST(EventTags, WhatIsNoTag) {
  for (const std::string line :
       {"write <event topic= and so on", "<event>x</event>", "<event topic=build>x</event>",
        "<event topic=\"\">x</event>", "<events topic=\"a\">x</event>", "<eventtopic=\"a\">x</event>",
        "<event topic=\"a\" x</event>", "<event topic=\"a", "</event>", "<event",
        "<event topic=\"a\"target=\"b\">x</event>"}) {
    EventTags tags;
    EXPECT_FALSE(tags.line(line)) << line;
    EXPECT_FALSE(tags.line("LOOP_COMPLETE")) << line;
    EXPECT_TRUE(tags.take().empty()) << line;
  }
}

TEST(EventTags, ATagThatIsTalkedAboutIsNotOpen) {
  EventTags tags;
  EXPECT_FALSE(tags.line("I will print `<event topic=\"a\">` when I am done."));
  EXPECT_FALSE(tags.line("LOOP_COMPLETE"));
  EXPECT_TRUE(tags.line("I will now print <event topic=\"a\">"));
  EXPECT_TRUE(tags.line("text"));
  EXPECT_TRUE(tags.line("● <event topic=\"b\">y</event>"));
  EXPECT_EQ(tags.take(), (std::vector<AgentEvent>{{"b", "", "y"}}));
  EXPECT_FALSE(tags.line("LOOP_COMPLETE"));
}

TEST(EventTags, OneThatIsNeverClosedIsGivenUp) {
  EventTags tags;
  tags.line("<event topic=\"a\">");
  const std::string text(1000, 'x');
  int inside = 0;
  for (; inside < 1000 && tags.line(text); inside++) {
  }
  EXPECT_GE(inside, 60);
  EXPECT_LE(inside, 70);
  EXPECT_FALSE(tags.line("</event>"));
  EXPECT_TRUE(tags.take().empty());
}

TEST(EventTags, OneLineMayNotBeEndlessEither) {
  EXPECT_TRUE(
      events({"<event topic=\"a\">" + std::string(EventTags::kMostPayload + 1, 'x') + "</event>"}).empty());
}

TEST(EventTags, AreBoundedInNumber) {
  EventTags tags;
  for (int i = 0; i < 3000; i++) tags.line("<event topic=\"n\">" + std::to_string(i) + "</event>");
  EXPECT_EQ(tags.take().size(), EventTags::kMostEvents);
}

}  // namespace
