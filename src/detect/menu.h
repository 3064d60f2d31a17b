// SPDX-License-Identifier: Apache-2.0
// Menus: lists that a program lets a person choose from. Three kinds are known: a list with a pointer at one
// of its entries (❯, >, ●), as programs of today draw them; a list of numbers or letters above a line that
// asks for one of them; and a box with buttons (<Yes> <No>), perhaps with a list above them.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detect/prompt.h"
#include "detect/view.h"

namespace detect {

struct Menu {
  std::vector<Choice> choices;
  size_t chosen = 0;  // the entry with the pointer or highlight
  size_t first = 0;   // its lines in the view
  size_t last = 0;
  bool several = false;  // entries are ticked, and Enter ends it
};

// The last list with a pointer, if nothing but a few lines of help stands below it.
std::optional<Menu> find_pointer_menu(const View& view);

// A list of numbers or letters that ends right above line `below`.
std::optional<Menu> find_keyed_list(const View& view, size_t below);

// The row of buttons that the cursor is in, or else the lowest.
std::optional<Menu> find_buttons(const View& view);

// The list in a box above its buttons, in which one entry looks unlike the others.
std::optional<Menu> find_boxed_list(const View& view, size_t buttons);

// The text above a menu that says what it is about.
std::string question_above(const View& view, size_t first);

}  // namespace detect
