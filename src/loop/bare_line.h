// SPDX-License-Identifier: Apache-2.0
// What agents draw around their text, taken off.
#pragma once
#include <string_view>

namespace loop {

// A line without the bullets and borders around its text.
std::string_view bare_line(std::string_view line);

// Without a box around it and blanks at its end; bullets and indentation stay.
std::string_view without_box(std::string_view line);

}  // namespace loop
