// SPDX-License-Identifier: Apache-2.0
// Entry: a line read as an entry of a list: a pointer, a tick box, a key, and what it is called, each where
// it is there, with the column where the entry's own text begins.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "detect/view.h"

namespace detect {

struct Entry {
  bool pointer = false;
  bool box = false;  // [ ], ◯, ☐: an entry that can be ticked
  bool rule =
      false;        // a line drawn across, with or without a title: no entry, though it may stand among them
  std::string key;  // "1", "a"
  std::string label;
  size_t column = 0;  // where the key, or without one the label, begins
};

std::optional<Entry> read_entry(const ViewLine& line);

// A code point per column; blanks as spaces, nothing (0) for the second column of a wide character.
std::u32string cells_of(const vt::Line& line);
bool is_border(char32_t character);
std::string to_text(const std::u32string& cells, size_t from, size_t to);

}  // namespace detect
