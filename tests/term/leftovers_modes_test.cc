// SPDX-License-Identifier: Apache-2.0
// What each sequence leaves on and how it is undone.
#include <gtest/gtest.h>
#include <string>

#include "term/leftovers.h"

namespace term {
namespace {

// The undo of all this, with ESC shown as ^[ so that a failure can be read.
std::string undo_of(std::string_view output) {
  Leftovers leftovers;
  leftovers.feed(output);
  std::string shown;
  for (const char c : leftovers.undo()) {
    if (c == '\x1b')
      shown += "^[";
    else if (c == '\x0f')
      shown += "^O";
    else if (c == '\x18')
      shown += "^X";
    else
      shown += c;
  }
  return shown;
}

struct Left {
  const char* name;
  const char* on;
  const char* off;
  const char* undo;
};

void PrintTo(const Left& left, std::ostream* out) { *out << left.name; }

class Leftover : public testing::TestWithParam<Left> {};

TEST_P(Leftover, IsUndoneWhenItWasTurnedOnAndNotOff) {
  const Left& left = GetParam();
  EXPECT_EQ(left.undo, undo_of(left.on));
  EXPECT_EQ("", undo_of(std::string(left.on) + left.off));
  EXPECT_EQ("", undo_of(left.off));
  EXPECT_EQ(left.undo, undo_of(std::string(left.on) + left.off + left.on));
  EXPECT_EQ("", undo_of(std::string(left.on) + "\x1b" + "c")) << "RIS has reset it";
}

INSTANTIATE_TEST_SUITE_P(
    Modes, Leftover,
    testing::Values(Left{"Alternate47", "\x1b[?47h", "\x1b[?47l", "^[[?47l"},
                    Left{"Alternate1047", "\x1b[?1047h", "\x1b[?1047l", "^[[?1047l"},
                    Left{"Alternate1049", "\x1b[?1049h", "\x1b[?1049l", "^[[?1049l"},
                    Left{"BracketedPaste", "\x1b[?2004h", "\x1b[?2004l", "^[[?2004l"},
                    Left{"MouseX10", "\x1b[?9h", "\x1b[?9l", "^[[?9l"},
                    Left{"MouseClicks", "\x1b[?1000h", "\x1b[?1000l", "^[[?1000l"},
                    Left{"MouseDrags", "\x1b[?1002h", "\x1b[?1002l", "^[[?1002l"},
                    Left{"MouseMoves", "\x1b[?1003h", "\x1b[?1003l", "^[[?1003l"},
                    Left{"MouseUtf8", "\x1b[?1005h", "\x1b[?1005l", "^[[?1005l"},
                    Left{"MouseSgr", "\x1b[?1006h", "\x1b[?1006l", "^[[?1006l"},
                    Left{"MouseUrxvt", "\x1b[?1015h", "\x1b[?1015l", "^[[?1015l"},
                    Left{"MousePixels", "\x1b[?1016h", "\x1b[?1016l", "^[[?1016l"},
                    Left{"Focus", "\x1b[?1004h", "\x1b[?1004l", "^[[?1004l"},
                    Left{"HiddenCursor", "\x1b[?25l", "\x1b[?25h", "^[[?25h"},
                    Left{"CursorShape", "\x1b[5 q", "\x1b[0 q", "^[[0 q"},
                    Left{"CursorShapeByDefault", "\x1b[2 q", "\x1b[ q", "^[[0 q"},
                    Left{"CursorKeys", "\x1b[?1h", "\x1b[?1l", "^[[?1l"},
                    Left{"Keypad", "\x1b=", "\x1b>", "^[>"},
                    Left{"KeypadMode66", "\x1b[?66h", "\x1b[?66l", "^[>"},
                    Left{"KittyKeyboardPush", "\x1b[>1u", "\x1b[<u", "^[[<1u"},
                    Left{"KittyKeyboardSet", "\x1b[=5;1u", "\x1b[=0;1u", "^[[=0;1u"},
                    Left{"ModifyOtherKeys", "\x1b[>4;2m", "\x1b[>4m", "^[[>4m"},
                    Left{"ModifyOtherKeysAll", "\x1b[>4;1m", "\x1b[>m", "^[[>4m"},
                    Left{"NoAutowrap", "\x1b[?7l", "\x1b[?7h", "^[[?7h"},
                    Left{"Origin", "\x1b[?6h", "\x1b[?6l", "^[[?6l^[[9999;1H"},
                    Left{"Insert", "\x1b[4h", "\x1b[4l", "^[[4l"},
                    Left{"Newline", "\x1b[20h", "\x1b[20l", "^[[20l"},
                    Left{"Reverse", "\x1b[?5h", "\x1b[?5l", "^[[?5l"},
                    Left{"ScrollRegion", "\x1b[3;20r", "\x1b[r", "^[7^[[r^[8"},
                    Left{"ScrollRegionToTheEnd", "\x1b[5r", "\x1b[1;0r", "^[7^[[r^[8"},
                    Left{"LeftAndRightMargins", "\x1b[?69h", "\x1b[?69l", "^[7^[[?69l^[8"},
                    Left{"LineDrawing", "\x1b(0", "\x1b(B", "^[(B"}, Left{"ShiftOut", "\x0e", "\x0f", "^O"},
                    Left{"LockingShift2", "\x1bn", "\x0f", "^O"},
                    Left{"SynchronizedOutput", "\x1b[?2026h", "\x1b[?2026l", "^[[?2026l"},
                    Left{"ColourSchemeReports", "\x1b[?2031h", "\x1b[?2031l", "^[[?2031l"},
                    Left{"InBandResize", "\x1b[?2048h", "\x1b[?2048l", "^[[?2048l"},
                    Left{"Attributes", "\x1b[1;38;5;0m", "\x1b[m", "^[[m"},
                    Left{"AttributesWithColons", "\x1b[4:3m", "\x1b[0m", "^[[m"},
                    Left{"Hyperlink", "\x1b]8;id=1;http://x\x1b\\", "\x1b]8;;\x07", "^[]8;;^[\\"},
                    Left{"Palette", "\x1b]4;1;#f00\x07", "\x1b]104\x07", "^[]104^[\\"},
                    Left{"TextColour", "\x1b]10;#fff\x07", "\x1b]110\x07", "^[]110^[\\"},
                    Left{"BackgroundColour", "\x1b]11;#000\x1b\\", "\x1b]111\x1b\\", "^[]111^[\\"},
                    Left{"CursorColour", "\x1b]12;red\x07", "\x1b]112\x07", "^[]112^[\\"}),
    [](const auto& param) { return param.param.name; });

TEST(Leftovers, PlainTextLeavesNothing) { EXPECT_EQ("", undo_of("plain\r\n\ttext, \xc3\xa9\xe2\x82\xac\n")); }

TEST(Leftovers, AListOfModesIsAllOfThem) {
  EXPECT_EQ("^[[?1003l^[[?1006l^[[?2004l", undo_of("\x1b[?1003;1006;2004h"));
  EXPECT_EQ("^[[?1003l", undo_of("\x1b[?1003;1006;2004h\x1b[?1006;2004l"));
  EXPECT_EQ("^[[?25h", undo_of("\x1b[?12;25l"));
  std::string many = "\x1b[?";
  for (int i = 0; i < 1000; i++) many += "3;";
  EXPECT_EQ("^[[?2004l", undo_of(many + "2004h")) << "a list has no limit";
}

TEST(Leftovers, SequencesThatOnlyLookAlikeAreNothing) {
  for (const char* other :
       {"\x1b[?2004$p", "\x1b[2004h", "\x1b[>2004h", "\x1b[?20041h", "\x1b[?2004:1h", "\x1b[?u", "\x1b[>0q",
        "\x1b[>c", "\x1b[4$r", "\x1b[c", "\x1b[?99999999992004h", "\x1b[6n", "\x1b[ ?1049h", "\x1b#8"})
    EXPECT_EQ("", undo_of(other)) << other;
}

TEST(Leftovers, AColourQueryChangesNoColour) {
  EXPECT_EQ("", undo_of("\x1b]11;?\x07\x1b]10;?\x1b\\\x1b]4;1;?;2;?\x07"));
  EXPECT_EQ("^[]104^[\\", undo_of("\x1b]4;1;?;2;#00f\x07"));
  EXPECT_EQ("^[]110^[\\^[]112^[\\", undo_of("\x1b]10;#fff;?;red\x07")) << "further fields: further colours";
}

TEST(Leftovers, ATitleIsNothingWhateverItContains) {
  EXPECT_EQ("", undo_of("\x1b]0;[?1049h \xe2\x82\xac ?2004h\x07"));
  EXPECT_EQ("", undo_of("\x1b]2;10;#fff\x1b\\"));
}

TEST(Leftovers, StringsAreSkippedToTheirEnd) {
  EXPECT_EQ("", undo_of("\x1bPq[?1049h#0;2;0\x07\x0e[?2004h\x1b\\"));
  EXPECT_EQ("", undo_of("\x1b_Gf=24;[?1049h\x1b\\\x1b^[?25l\x1b\\\x1bX[?25l\x1b\\"));
  EXPECT_EQ("^[[?2004l", undo_of("\x1bPq#0\x1b\\\x1b[?2004h"));
}

TEST(Leftovers, ACancelledSequenceIsNothing) {
  EXPECT_EQ("", undo_of("\x1b[?1049\x18h"));
  EXPECT_EQ("", undo_of("\x1b[?1049\x1ah"));
  EXPECT_EQ("", undo_of("\x1b]11;#000\x18"));
  EXPECT_EQ("^[[?25h", undo_of("\x1b[?1049\x1b[?25l")) << "an escape starts over";
}

TEST(Leftovers, ControlsInsideASequenceAreCarriedOutAndItGoesOn) {
  EXPECT_EQ("^[[?2004l", undo_of("\x1b[?20\r\n04h"));
  EXPECT_EQ("^[[?2004l^O", undo_of("\x1b[?20\x0e"
                                   "04h"));
}

TEST(Leftovers, AnUnfinishedSequenceIsCancelledFirst) {
  EXPECT_EQ("^X^[\\", undo_of("\x1b]0;half a tit"));
  EXPECT_EQ("^X^[\\^[[?2004l", undo_of("\x1b[?2004h\x1b[38;5"));
}

TEST(Leftovers, TheAlternateScreenIsLeftByWhicheverModeAndOnce) {
  EXPECT_EQ("", undo_of("\x1b[?1049h\x1b[?47l"));
  EXPECT_EQ("", undo_of("\x1b[?47h\x1b[?1049l"));
  EXPECT_EQ("^[[?1049l", undo_of("\x1b[?47h\x1b[?1049h")) << "the one that brings the cursor back";
}

TEST(Leftovers, TheScreensHaveKeyboardStacksOfTheirOwn) {
  EXPECT_EQ("^[[<2u^[[?1049l^[[<1u", undo_of("\x1b[>1u\x1b[?1049h\x1b[>1u\x1b[>5u"));
  EXPECT_EQ("^[[?1049l^[[<1u", undo_of("\x1b[>1u\x1b[?1049h\x1b[>1u\x1b[<1u"));
  EXPECT_EQ("^[[<1u", undo_of("\x1b[>1u\x1b[?1049h\x1b[>1u\x1b[?1049l"))
      << "the other one's can be reached only while it is shown";
}

TEST(Leftovers, KeyboardPushesAreCountedAndPopsNeverGoBelow) {
  EXPECT_EQ("^[[<12u",
            undo_of("\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u\x1b[>u"));
  EXPECT_EQ("", undo_of("\x1b[>1u\x1b[>1u\x1b[<2u"));
  EXPECT_EQ("^[[<1u", undo_of("\x1b[<9u\x1b[>1u"));
  EXPECT_EQ("", undo_of("\x1b[=1u\x1b[>1u\x1b[<5u")) << "a pop of all resets the flags";
  EXPECT_EQ("", undo_of("\x1b[=5u\x1b[=5;3u")) << "flags taken away one by one";
}

TEST(Leftovers, ASoftResetResetsWhatItResets) {
  EXPECT_EQ("^[[?1049l^[[?1000l",
            undo_of("\x1b[?1049h\x1b[?1000h\x1b[?25l\x1b[4h\x1b[?1h\x1b=\x1b[2;5r\x1b[1m\x1b(0\x1b[!p"));
}

TEST(Leftovers, SavedModesComeBack) {
  EXPECT_EQ("^[[?1000l", undo_of("\x1b[?1000h\x1b[?1000s\x1b[?1000l\x1b[?1000r"));
  EXPECT_EQ("", undo_of("\x1b[?1000s\x1b[?1000h\x1b[?1000r"));
}

TEST(Leftovers, ARestoredCursorBringsItsAttributesBack) {
  EXPECT_EQ("^[[m", undo_of("\x1b[1m\x1b"
                            "7\x1b[m\x1b"
                            "8"));
  EXPECT_EQ("", undo_of("\x1b"
                        "7\x1b[1m\x1b(0\x1b"
                        "8"));
  EXPECT_EQ("^[[m", undo_of("\x1b[1m\x1b[s\x1b[m\x1b[u"));
  EXPECT_EQ("^[[m", undo_of("\x1b[1m\x1b[?1049h\x1b[m\x1b[?1049l"));
}

TEST(Leftovers, OriginModeInTheAlternateScreenIsLeftBeforeTheCursorComesBack) {
  EXPECT_EQ("^[[?6l^[[?1049l^[7^[[r^[8", undo_of("\x1b[?1049h\x1b[2;9r\x1b[?6h"));
}

}  // namespace
}  // namespace term
