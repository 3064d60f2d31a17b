// SPDX-License-Identifier: Apache-2.0
#include "term/capabilities.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace term {
namespace {

using Variables = std::map<std::string, std::string>;

Lookup environment(const Variables& values) {
  return [values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

Capabilities with(const Variables& values, const Terminfo& terminfo = {}) {
  return capabilities_from(environment(values), terminfo);
}

constexpr Terminfo kColours256{.found = true, .colours = 256, .direct_colour = false};
constexpr Terminfo kColours8{.found = true, .colours = 8, .direct_colour = false};
constexpr Terminfo kMonochrome{.found = true, .colours = -1, .direct_colour = false};

TEST(Capabilities, SpecificNamesComeBeforeGeneralOnes) {
  EXPECT_EQ(Kind::kitty, with({{"TERM", "xterm-kitty"}}).kind);
  EXPECT_EQ(Kind::ghostty, with({{"TERM", "xterm-ghostty"}}).kind);
  EXPECT_EQ(Kind::xterm, with({{"TERM", "xterm-256color"}}).kind);
  EXPECT_EQ(Kind::foot, with({{"TERM", "foot-extra"}}).kind);
  EXPECT_EQ(Kind::rxvt, with({{"TERM", "rxvt-unicode-256color"}}).kind);
  EXPECT_EQ(Kind::linux_console, with({{"TERM", "linux"}}).kind);
  EXPECT_EQ(Kind::unknown, with({{"TERM", "vt220"}}).kind);
}

TEST(Capabilities, AGeneralTermIsNamedByTheProgramThatSetIt) {
  EXPECT_EQ(Kind::iterm2, with({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "iTerm.app"}}).kind);
  EXPECT_EQ(Kind::vscode, with({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "vscode"}}).kind);
  EXPECT_EQ(Kind::vte, with({{"TERM", "xterm-256color"}, {"VTE_VERSION", "7006"}}).kind);
  EXPECT_EQ(Kind::windows_terminal, with({{"TERM", "xterm-256color"}, {"WT_SESSION", "f00"}}).kind);
}

TEST(Capabilities, ASpecificTermWinsOverVariablesInheritedFromOutside) {
  const auto found = with({{"TERM", "xterm-kitty"}, {"TMUX", "/tmp/tmux,1,0"}, {"TERM_PROGRAM", "vscode"}});
  EXPECT_EQ(Kind::kitty, found.kind) << "a kitty started from inside tmux";
  EXPECT_FALSE(found.multiplexed());
}

TEST(Capabilities, InsideTmuxTheTerminalIsTmux) {
  EXPECT_EQ(Kind::tmux, with({{"TERM", "tmux-256color"}}).kind);
  EXPECT_EQ(Kind::tmux, with({{"TERM", "screen-256color"}, {"TMUX", "/tmp/tmux,1,0"}}).kind);
  EXPECT_EQ(
      Kind::tmux,
      with({{"TERM", "xterm-256color"}, {"TMUX", "/tmp/tmux,1,0"}, {"TERM_PROGRAM", "iTerm.app"}}).kind);
  EXPECT_EQ(Kind::screen, with({{"TERM", "screen.xterm-256color"}, {"STY", "1.pts"}}).kind);
  EXPECT_TRUE(with({{"TERM", "tmux-256color"}}).multiplexed());
}

TEST(Capabilities, ColourDepthIs0Or4Or8Or24) {
  EXPECT_EQ(ColourDepth::none, with({{"TERM", "vt100"}}, kMonochrome).colours);
  EXPECT_EQ(ColourDepth::ansi, with({{"TERM", "linux"}}, kColours8).colours);
  EXPECT_EQ(ColourDepth::indexed, with({{"TERM", "xterm-256color"}}, kColours256).colours);
  EXPECT_EQ(ColourDepth::truecolor, with({{"TERM", "xterm-kitty"}}).colours);
  EXPECT_EQ(ColourDepth::truecolor, with({{"TERM", "xterm-direct"}}).colours);
}

TEST(Capabilities, ColortermSaysTruecolor) {
  EXPECT_EQ(ColourDepth::truecolor, with({{"TERM", "xterm"}, {"COLORTERM", "truecolor"}}, kColours8).colours);
  EXPECT_EQ(ColourDepth::truecolor, with({{"TERM", "xterm"}, {"COLORTERM", "24bit"}}, kColours8).colours);
  EXPECT_EQ(ColourDepth::ansi, with({{"TERM", "xterm"}, {"COLORTERM", "yes"}}, kColours8).colours);
  EXPECT_EQ(ColourDepth::ansi, with({{"TERM", "screen"}, {"COLORTERM", "truecolor"}}, kColours8).colours)
      << "screen passes the variable on, not the colours";
}

TEST(Capabilities, NoColorMeansNone) {
  EXPECT_EQ(ColourDepth::none,
            with({{"TERM", "xterm-kitty"}, {"COLORTERM", "truecolor"}, {"NO_COLOR", "1"}}).colours);
  EXPECT_EQ(ColourDepth::truecolor, with({{"TERM", "xterm-kitty"}, {"NO_COLOR", ""}}).colours)
      << "an empty one is as good as none";
}

TEST(Capabilities, ADumbOrMissingTermHasNothing) {
  for (const Variables& values : {Variables{{"TERM", "dumb"}, {"COLORTERM", "truecolor"}}, Variables{}}) {
    const auto found = with(values, kColours256);
    EXPECT_EQ("dumb", found.term);
    EXPECT_EQ(Kind::dumb, found.kind);
    EXPECT_EQ(ColourDepth::none, found.colours);
    EXPECT_FALSE(found.likely_kitty_keyboard);
  }
}

TEST(Capabilities, WithoutATerminfoEntryTheNameDecides) {
  EXPECT_EQ(ColourDepth::indexed, with({{"TERM", "xterm-256color"}}).colours);
  EXPECT_EQ(ColourDepth::ansi, with({{"TERM", "xterm"}}).colours);
  EXPECT_EQ(ColourDepth::none, with({{"TERM", "adm3a"}}).colours);
  EXPECT_FALSE(with({{"TERM", "xterm"}}).in_terminfo);
}

TEST(Capabilities, KittyKeyboardAndSynchronizedOutputAreOnlyExpectedWhereTheyAreTheDefault) {
  EXPECT_TRUE(with({{"TERM", "xterm-kitty"}}).likely_kitty_keyboard);
  EXPECT_TRUE(with({{"TERM", "alacritty"}}).likely_synchronized_output);
  EXPECT_FALSE(with({{"TERM", "xterm-256color"}}).likely_kitty_keyboard);
  EXPECT_FALSE(with({{"TERM", "tmux-256color"}}).likely_kitty_keyboard);
}

TEST(Capabilities, EveryKindHasAName) {
  EXPECT_EQ("unknown", kind_name(Kind::unknown));
  EXPECT_EQ("kitty", kind_name(Kind::kitty));
  EXPECT_EQ("vte", kind_name(Kind::vte));
  EXPECT_EQ("screen", kind_name(Kind::screen));
}

TEST(Terminfo, ReadsTheRealDatabase) {
  const Terminfo xterm = read_terminfo("xterm-256color");
  EXPECT_TRUE(xterm.found);
  EXPECT_EQ(256, xterm.colours);
  EXPECT_FALSE(read_terminfo("no-such-terminal").found);
  EXPECT_TRUE(read_terminfo("linux").found) << "a missing entry spoils nothing for the next";
}

TEST(Terminfo, AnswersForTheTermOfTheEnvironment) {
  const auto found = detect_capabilities(environment({{"TERM", "xterm-256color"}}));
  EXPECT_TRUE(found.in_terminfo);
  EXPECT_EQ(ColourDepth::indexed, found.colours);
  EXPECT_FALSE(detect_capabilities(environment({{"TERM", "no-such-terminal"}})).in_terminfo);
}

}  // namespace
}  // namespace term
