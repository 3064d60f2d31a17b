// SPDX-License-Identifier: Apache-2.0
#include "term/capabilities.h"

#include <algorithm>
#include <array>

namespace term {
namespace {

// Shared by prefixes of TERM and values of TERM_PROGRAM.
struct Name {
  std::string_view text;
  Kind kind;
};

// The first that fits, so the longer name stands first.
constexpr std::array kByTerm = {
    Name{"xterm-kitty", Kind::kitty},
    Name{"xterm-ghostty", Kind::ghostty},
    Name{"ghostty", Kind::ghostty},
    Name{"foot", Kind::foot},
    Name{"alacritty", Kind::alacritty},
    Name{"wezterm", Kind::wezterm},
    Name{"contour", Kind::contour},
    Name{"iterm2", Kind::iterm2},
    Name{"konsole", Kind::konsole},
    Name{"vte", Kind::vte},
    Name{"gnome", Kind::vte},
    Name{"rxvt", Kind::rxvt},
    Name{"tmux", Kind::tmux},
    Name{"screen", Kind::screen},
    Name{"linux", Kind::linux_console},
    Name{"dumb", Kind::dumb},
    Name{"nsterm", Kind::apple_terminal},
    Name{"xterm", Kind::xterm},
};

constexpr std::array kByProgram = {
    Name{"tmux", Kind::tmux},       Name{"ghostty", Kind::ghostty},
    Name{"WezTerm", Kind::wezterm}, Name{"iTerm.app", Kind::iterm2},
    Name{"vscode", Kind::vscode},   Name{"Apple_Terminal", Kind::apple_terminal},
    Name{"contour", Kind::contour}, Name{"kitty", Kind::kitty},
};

// Variables that a terminal sets for its children and whose mere presence names it.
struct Variable {
  const char* name;
  Kind kind;
};

constexpr std::array kByVariable = {
    Variable{"KITTY_WINDOW_ID", Kind::kitty},
    Variable{"KONSOLE_VERSION", Kind::konsole},
    Variable{"WT_SESSION", Kind::windows_terminal},
    Variable{"VTE_VERSION", Kind::vte},
};

Kind by_term(std::string_view term) {
  for (const Name& name : kByTerm)
    if (term.starts_with(name.text)) return name.kind;
  return Kind::unknown;
}

Kind by_program(std::string_view program) {
  for (const Name& name : kByProgram)
    if (program == name.text) return name.kind;
  return Kind::unknown;
}

// The variables of a terminal are inherited by whatever is started inside, also by another terminal or a
// multiplexer. So a TERM that names one program wins; the rest is asked in the order in which it goes stale.
Kind kind_of(std::string_view term, const Lookup& lookup) {
  const Kind named = by_term(term);
  const bool in_tmux = !value_of(lookup, "TMUX").empty();
  if (named == Kind::screen && in_tmux) return Kind::tmux;  // tmux long called itself screen
  if (named != Kind::xterm && named != Kind::unknown) return named;
  if (in_tmux) return Kind::tmux;
  if (!value_of(lookup, "STY").empty()) return Kind::screen;
  if (const Kind program = by_program(value_of(lookup, "TERM_PROGRAM")); program != Kind::unknown)
    return program;
  for (const Variable& variable : kByVariable)
    if (!value_of(lookup, variable.name).empty()) return variable.kind;
  return named;
}

bool is_one_of(Kind kind, std::initializer_list<Kind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

ColourDepth colours_of(const Capabilities& found, const Lookup& lookup, const Terminfo& terminfo) {
  if (!value_of(lookup, "NO_COLOR").empty() || found.kind == Kind::dumb) return ColourDepth::none;
  if (terminfo.direct_colour || found.term.ends_with("-direct")) return ColourDepth::truecolor;
  const std::string_view colorterm = value_of(lookup, "COLORTERM");
  // GNU screen hands the variable of the terminal around it on, but not the colours.
  if (found.kind != Kind::screen && (colorterm == "truecolor" || colorterm == "24bit"))
    return ColourDepth::truecolor;
  if (is_one_of(found.kind,
                {Kind::kitty, Kind::ghostty, Kind::foot, Kind::alacritty, Kind::wezterm, Kind::iterm2,
                 Kind::vscode, Kind::konsole, Kind::windows_terminal, Kind::contour}))
    return ColourDepth::truecolor;
  if (terminfo.colours >= 256 || found.term.find("256color") != std::string::npos)
    return ColourDepth::indexed;
  if (terminfo.found) return terminfo.colours >= 8 ? ColourDepth::ansi : ColourDepth::none;
  // Without an entry: every terminal that we know by name has at least the sixteen.
  return found.kind == Kind::unknown ? ColourDepth::none : ColourDepth::ansi;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::array<std::string_view, 19> kNames = {
      "unknown",          "dumb",    "linux console", "xterm",          "kitty",   "ghostty", "foot",
      "alacritty",        "wezterm", "iTerm2",        "Apple Terminal", "VS Code", "konsole", "vte",
      "Windows Terminal", "contour", "rxvt",          "tmux",           "screen"};
  return kNames.at(static_cast<size_t>(kind));
}

Capabilities capabilities_from(const Lookup& lookup, const Terminfo& terminfo) {
  Capabilities found;
  found.term = value_of(lookup, "TERM");
  if (found.term.empty()) found.term = "dumb";
  found.kind = kind_of(found.term, lookup);
  found.in_terminfo = terminfo.found;
  found.colours = colours_of(found, lookup, terminfo);
  // Those that have it without being configured; WezTerm and VS Code have to be told.
  found.likely_kitty_keyboard =
      is_one_of(found.kind, {Kind::kitty, Kind::ghostty, Kind::foot, Kind::alacritty});
  found.likely_synchronized_output = is_one_of(
      found.kind,
      {Kind::kitty, Kind::ghostty, Kind::foot, Kind::alacritty, Kind::wezterm, Kind::iterm2, Kind::contour});
  return found;
}

Capabilities detect_capabilities(const Lookup& lookup) {
  const std::string_view term = value_of(lookup, "TERM");
  return capabilities_from(lookup, term.empty() ? Terminfo{} : read_terminfo(std::string(term)));
}

}  // namespace term
