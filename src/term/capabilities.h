// SPDX-License-Identifier: Apache-2.0
// What the user's terminal can be expected to do, from the environment and terminfo alone: nothing is asked
// over the line. Only `likely` for what no variable states. Specific names come before general ones: an
// xterm-kitty is a kitty, not an xterm.
#pragma once
#include <cstdlib>
#include <string>
#include <string_view>

#include "term/environment.h"

namespace term {

enum class Kind {
  unknown,
  dumb,
  linux_console,
  xterm,
  kitty,
  ghostty,
  foot,
  alacritty,
  wezterm,
  iterm2,
  apple_terminal,
  vscode,
  konsole,
  vte,
  windows_terminal,
  contour,
  rxvt,
  tmux,
  screen,
};

std::string_view kind_name(Kind kind);

// Bits per colour.
enum class ColourDepth { none = 0, ansi = 4, indexed = 8, truecolor = 24 };

struct Terminfo {
  bool found = false;
  int colours = 0;
  bool direct_colour = false;  // the RGB or Tc capability
};

struct Capabilities {
  std::string term;  // TERM, or "dumb"
  Kind kind = Kind::unknown;
  ColourDepth colours = ColourDepth::none;
  bool in_terminfo = false;
  bool likely_kitty_keyboard = false;
  bool likely_synchronized_output = false;

  bool multiplexed() const { return kind == Kind::tmux || kind == Kind::screen; }
};

// The entry of libtinfo's database. Not to be called from two threads at once: libtinfo has globals.
Terminfo read_terminfo(const std::string& name);

Capabilities detect_capabilities(const Lookup& lookup = std::getenv);

// The same with the terminfo entry already in hand.
Capabilities capabilities_from(const Lookup& lookup, const Terminfo& terminfo);

}  // namespace term
