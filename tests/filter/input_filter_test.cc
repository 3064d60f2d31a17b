// SPDX-License-Identifier: Apache-2.0
// The rules, one row each: what is typed, what passes, how often somebody is warned.
#include "filter/input_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filter {
namespace {

using std::chrono::milliseconds;
using namespace std::string_literals;

constexpr base::Moment kStart{std::chrono::hours(1)};
constexpr milliseconds kHold{500};

struct Case {
  std::string name;
  std::string typed;
  std::string passes;  // in the end, when all waiting is over
  uint32_t blocked = 0;
  uint32_t debounced = 0;
  Rules rules = {};
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

struct Sum {
  std::string bytes;
  uint32_t blocked = 0;
  uint32_t debounced = 0;

  void add(const Filtered& more) {
    bytes += more.bytes;
    blocked += more.blocked;
    debounced += more.debounced;
  }
};

Sum at_once(const Case& one) {
  InputFilter filter(one.rules);
  Sum sum;
  sum.add(filter.take(one.typed, kStart));
  sum.add(filter.release(kStart + kHold));
  EXPECT_EQ(filter.due(), std::nullopt);
  return sum;
}

Sum key_by_key(const Case& one) {
  InputFilter filter(one.rules);
  Sum sum;
  for (const char c : one.typed) sum.add(filter.take({&c, 1}, kStart));
  sum.add(filter.release(kStart + kHold));
  return sum;
}

class FilterTable : public testing::TestWithParam<Case> {};

TEST_P(FilterTable, InOnePiece) {
  const Sum sum = at_once(GetParam());
  EXPECT_EQ(sum.bytes, GetParam().passes);
  EXPECT_EQ(sum.blocked, GetParam().blocked);
  EXPECT_EQ(sum.debounced, GetParam().debounced);
}

TEST_P(FilterTable, KeyByKey) {
  const Sum sum = key_by_key(GetParam());
  EXPECT_EQ(sum.bytes, GetParam().passes);
  EXPECT_EQ(sum.blocked, GetParam().blocked);
  EXPECT_EQ(sum.debounced, GetParam().debounced);
}

const Rules kAnywhere{.anchor = Anchor::anywhere};

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Blocked, FilterTable,
    testing::Values(Case{"CtrlD", "\x04", "", 1}, Case{"CtrlBackslash", "\x1c", "", 1},
                    Case{"ExitCr", "exit\r", "", 1}, Case{"ExitLf", "exit\n", "", 1},
                    Case{"SlashExitCr", "/exit\r", "", 1}, Case{"SlashExitLf", "/exit\n", "", 1},
                    Case{"QuitCr", "quit\r", "", 1}, Case{"QuitLf", "quit\n", "", 1},
                    Case{"NeighboursPass", "foo\rexit\rbar\r", "foo\rbar\r", 1},
                    Case{"CtrlDBetween",
                         "ab\x04"
                         "cd",
                         "abcd", 1},
                    Case{"TwoWords", "exit\rquit\r", "", 2}, Case{"AfterABlank", " exit\r", " ", 1},
                    Case{"AfterTabs", "\t\texit\r", "\t\t", 1}, Case{"BlankBehindIt", "exit \r", "exit ", 1},
                    Case{"AfterALine", "foo\rexit\r", "foo\r", 1},
                    Case{"WithBackspaces", "exot\x7f\x7fit\r", "exot\x7f\x7f", 1},
                    Case{"BackspacesToTheWord", "exits\x7f\r", "exits\x7f", 1},
                    Case{"EditedByCtrlH", "exitx\b\r", "exitx\b", 1},
                    Case{"AfterCtrlU",
                         "foo\x15"
                         "exit\r",
                         "foo\x15", 1},
                    Case{"AfterCtrlW",
                         "foo\x17"
                         "exit\r",
                         "foo\x17", 1},
                    Case{"CtrlWBackToTheWord", "exit now\x17\r", "exit now\x17", 1},
                    Case{"AltBackspaceBackToTheWord", "exit now\x1b\x7f\r", "exit now\x1b\x7f", 1},
                    Case{"AfterCtrlC",
                         "foo\x03"
                         "exit\r",
                         "foo\x03", 1},
                    Case{"Pasted", "\x1b[200~exit\r\x1b[201~", "\x1b[200~\x1b[201~", 1},
                    Case{"PastedThenEnter", "\x1b[200~exit\x1b[201~\r", "\x1b[200~exit\x1b[201~", 1},
                    Case{"CursorKeysBetween", "ex\x1b[D\x1b[Cit\r", "ex\x1b[D\x1b[C", 1},
                    Case{"AnswersOfTheTerminal", "\x1b]11;rgb:0/0/0\x1b\\exit\r", "\x1b]11;rgb:0/0/0\x1b\\",
                         1},
                    Case{"MouseReport", "\x1b[M !!exit\r", "\x1b[M !!", 1},
                    Case{"AfterEsc",
                         "\x1b"
                         "exit\r",
                         "\x1b", 1},
                    Case{"UmlautErased", "exit\xc3\xa4\x7f\r", "exit\xc3\xa4\x7f", 1},
                    Case{"EnterAgain", "exit \r\r", "exit ", 2},
                    Case{"LongIndent", std::string(300, ' ') + "exit\r", std::string(300, ' '), 1}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Passing, FilterTable,
    testing::Values(Case{"Nothing", "", ""}, Case{"Text", "hello\r", "hello\r"},
                    Case{"AQuestion", "how do I quit\r", "how do I quit\r"},
                    Case{"ALongerWord", "exiting\r", "exiting\r"},
                    Case{"AWordBefore", "no exit\r", "no exit\r"}, Case{"OtherCase", "EXIT\r", "EXIT\r"},
                    Case{"ABeginning", "exi\r", "exi\r"}, Case{"AnotherCommand", "/help\r", "/help\r"},
                    Case{"ALoneE", "e", "e"}, Case{"ALoneSlash", "/", "/"}, Case{"ALoneQ", "q", "q"},
                    Case{"Esc", "\x1b", "\x1b"}, Case{"AnArrow", "\x1b[A", "\x1b[A"},
                    Case{"ACutSequence", "\x1b[1;", "\x1b[1;"}, Case{"EnterAlone", "\r\r\n", "\r\r\n"},
                    Case{"Utf8", "gr\xc3\xbc\xc3\x9f\r", "gr\xc3\xbc\xc3\x9f\r"},
                    Case{"WordErased", "exit\x7f\x7f\x7f\x7fls\r", "exit\x7f\x7f\x7f\x7fls\r"},
                    Case{"AKeyReleased", "\x1b[100;5:3u", "\x1b[100;5:3u"},
                    Case{"AltD", "\x1b[100;3u", "\x1b[100;3u"},
                    Case{"ALongLine", std::string(5000, 'x') + "exit\r", std::string(5000, 'x') + "exit\r"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Encodings, FilterTable,
    testing::Values(Case{"KittyCtrlD", "a\x1b[100;5ub", "ab", 1},
                    Case{"KittyCtrlBackslash", "\x1b[92;5u", "", 1},
                    Case{"KittyCtrlDPressed", "\x1b[100;5:1u", "", 1},
                    Case{"KittyWithAlternates", "\x1b[100:68:100;5u", "", 1},
                    Case{"KittyNumLock", "\x1b[100;133u", "", 1},
                    Case{"OtherKeysCtrlD", "\x1b[27;5;100~", "", 1},
                    Case{"OtherKeysCtrlBackslash", "\x1b[27;5;92~", "", 1},
                    Case{"KittyCtrlCTwice", "\x1b[99;5u\x1b[99;5u", "\x1b[99;5u", 0, 1},
                    Case{"CtrlCInTwoEncodings", "\x03\x1b[27;5;99~", "\x03", 0, 1},
                    Case{"KittyEnter", "exit\x1b[13u", "", 1}, Case{"KeypadEnter", "exit\x1bOM", "", 1},
                    Case{"KittyLetters", "\x1b[101u\x1b[120u\x1b[105u\x1b[116u\x1b[13u", "", 1},
                    Case{"KittyBackspace", "exits\x1b[127u\r", "exits\x1b[127u", 1},
                    Case{"KittyCtrlJ", "quit\x1b[106;5u", "", 1}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    CtrlC, FilterTable,
    testing::Values(
        Case{"Once", "\x03", "\x03"}, Case{"TwiceInOneChunk", "\x03\x03", "\x03", 0, 1},
        Case{"FiveTimes", "\x03\x03\x03\x03\x03", "\x03", 0, 4},
        Case{"NeverOvertakesWhatIsHeld", "ex\x03", "ex\x03"},
        Case{"WithTextBetween",
             "\x03"
             "ab\x03"
             "cd",
             "\x03"
             "abcd",
             0, 1},
        Case{"WithoutDebounce", "\x03\x03", "\x03\x03", 0, 0, {.ctrl_c_debounce = milliseconds(0)}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Anywhere, FilterTable,
                         testing::Values(Case{"AQuestion", "how do I quit\r", "how do I ", 1, 0, kAnywhere},
                                         Case{"AWord", "exit\r", "", 1, 0, kAnywhere},
                                         Case{"InAWord", "noexit\n", "no", 1, 0, kAnywhere},
                                         Case{"AnotherWord", "exiting\r", "exiting\r", 0, 0, kAnywhere},
                                         Case{"Edited", "how to exitt\x7f\r", "how to exitt\x7f", 1, 0,
                                              kAnywhere}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(
    Custom, FilterTable,
    testing::Values(Case{"Anywhere", "please rm -rf / now", "please / now", 1, 0, {.sequences = {"rm -rf "}}},
                    Case{"CtrlCAtAll",
                         "a\x03"
                         "b",
                         "ab",
                         1,
                         0,
                         {.sequences = {"\x03"}}},
                    Case{"CtrlCAtAllInAnyEncoding", "a\x1b[99;5ub", "ab", 1, 0, {.sequences = {"\x03"}}},
                    Case{"AnEscapeSequence", "a\x1b[Ab", "ab", 1, 0, {.sequences = {"\x1b[A"}}},
                    Case{"WrittenAsKitty", "\x1a", "", 1, 0, {.sequences = {"\x1b[122;5u"}}},
                    Case{"EscAlone", "a\x1b", "a", 1, 0, {.sequences = {"\x1b"}}},
                    Case{"Overlapping", "ababc", "ab", 1, 0, {.sequences = {"abc"}}},
                    Case{"ASuffixOfAnother", "xabcabd", "xabd", 1, 0, {.sequences = {"abcx", "bc", "abc"}}},
                    Case{"ANul", "a\0b"s, "ab", 1, 0, {.sequences = {"\0"s}}},
                    Case{"ANewlineInside", "a\rb", "", 1, 0, {.sequences = {"a\rb"}}},
                    Case{"PutTogetherByATakenOutKey",
                         "ab\x04"
                         "c",
                         "",
                         2,
                         0,
                         {.sequences = {"abc"}}}),
    name_of);

TEST(InputFilter, WarnsToTheLetter) {
  EXPECT_EQ(kWarning, "\r\n\x1b[1;33m⚠  Blocked from web. Use local terminal to exit.\x1b[0m\r\n");
}

TEST(InputFilter, LetsALoneLetterPassAfterAWhile) {
  for (const char* letter : {"e", "/", "q"}) {
    InputFilter filter(Rules{});
    EXPECT_EQ(filter.take(letter, kStart).bytes, "");
    ASSERT_EQ(filter.due(), kStart + kHold);
    EXPECT_EQ(filter.release(kStart + milliseconds(499)).bytes, "");
    EXPECT_EQ(filter.release(kStart + kHold).bytes, letter);
    EXPECT_EQ(filter.due(), std::nullopt);
  }
}

TEST(InputFilter, LetsALoneLetterPassWithTheNextKey) {
  InputFilter filter(Rules{});
  EXPECT_EQ(filter.take("e", kStart).bytes, "");
  EXPECT_EQ(filter.take("c", kStart).bytes, "ec");
}

TEST(InputFilter, EveryKeyBeginsTheWaitingAnew) {
  InputFilter filter(Rules{});
  filter.take("e", kStart);
  filter.take("x", kStart + milliseconds(400));
  EXPECT_EQ(filter.release(kStart + kHold).bytes, "");
  EXPECT_EQ(filter.release(kStart + milliseconds(900)).bytes, "ex");
}

TEST(InputFilter, ALoneEscWaitsOnlyForAMoment) {
  InputFilter filter(Rules{});
  EXPECT_EQ(filter.take("\x1b", kStart).bytes, "");
  EXPECT_EQ(filter.release(kStart + InputFilter::kEscapeHold).bytes, "\x1b");
  // Still the same key, however late its rest comes.
  const Filtered rest = filter.take("[100;5u", kStart + std::chrono::seconds(5));
  EXPECT_EQ(rest.bytes, "");
  EXPECT_EQ(rest.blocked, 1U);
}

// However slowly a word is typed, its Enter never passes; nor does the next one. Editing helps.
TEST(InputFilter, SlowTypingDoesNotHelp) {
  InputFilter filter(Rules{});
  base::Moment now = kStart;
  std::string passed;
  uint32_t blocked = 0;
  const auto press = [&](std::string_view key) {
    now += std::chrono::seconds(1);
    passed += filter.release(now).bytes;
    const Filtered result = filter.take(key, now);
    passed += result.bytes;
    blocked += result.blocked;
  };
  for (const char* key : {"e", "x", "i", "t", "\r"}) press(key);
  EXPECT_EQ(passed, "exit");
  EXPECT_EQ(blocked, 1U);
  press("\r");
  EXPECT_EQ(passed, "exit");
  EXPECT_EQ(blocked, 2U);
  press("s");
  press("\r");
  EXPECT_EQ(passed, "exits\r");
  EXPECT_EQ(blocked, 2U);
}

TEST(InputFilter, SlowTypingDoesNotHelpAnywhereEither) {
  InputFilter filter(Rules{.sequences = {"abc"}, .anchor = Anchor::anywhere});
  base::Moment now = kStart;
  std::string passed;
  for (const char c : "do quit\r\rabcc"s) {
    now += std::chrono::seconds(1);
    passed += filter.take({&c, 1}, now).bytes;
  }
  EXPECT_EQ(passed, "do quitab");
}

TEST(InputFilter, CtrlCIsTheFirstAgainAfterTheWindow) {
  InputFilter filter(Rules{});
  EXPECT_EQ(filter.take("\x03", kStart).bytes, "\x03");
  EXPECT_EQ(filter.take("\x03", kStart + milliseconds(400)).bytes, "");
  // The one that did not pass does not begin a new window.
  EXPECT_EQ(filter.take("\x03", kStart + milliseconds(500)).bytes, "\x03");
}

TEST(InputFilter, WithoutHoldingNothingWaits) {
  InputFilter filter(Rules{.partial_hold = milliseconds(0)});
  EXPECT_EQ(filter.take("ex", kStart).bytes, "ex");
  const Filtered rest = filter.take("it\r", kStart);
  EXPECT_EQ(rest.bytes, "it");
  EXPECT_EQ(rest.blocked, 1U);
}

TEST(InputFilter, SaysWhetherAWholeAnswerPasses) {
  EXPECT_TRUE(passes_whole({}, "yes\r"));
  EXPECT_TRUE(passes_whole({}, "e"));
  EXPECT_FALSE(passes_whole({}, "exit\r"));
  EXPECT_FALSE(passes_whole({}, "a\x04"));
}

}  // namespace
}  // namespace filter
