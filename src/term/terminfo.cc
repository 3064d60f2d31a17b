// SPDX-License-Identifier: Apache-2.0
// Apart from the rest because of <term.h>, which makes macros of ordinary words and has a struct with the
// name of our namespace.
#include <curses.h>
#define term ncurses_term
#include <term.h>
#undef term
#include <unistd.h>

#include "term/capabilities.h"

namespace term {

Terminfo read_terminfo(const std::string& name) {
  int outcome = 0;
  // With an outcome to fill in, a missing entry is an answer; without, setupterm would end the process.
  if (::setupterm(name.c_str(), STDOUT_FILENO, &outcome) != OK) return {};
  const Terminfo entry{.found = true,
                       .colours = ::tigetnum("colors"),
                       .direct_colour = ::tigetflag("RGB") > 0 || ::tigetflag("Tc") > 0};
  ::del_curterm(::cur_term);
  return entry;
}

}  // namespace term
