// SPDX-License-Identifier: Apache-2.0
// What the commands print: text, JSON, and tables of aligned columns, coloured only where a person looks.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/message.h"

namespace cli {

// On a terminal that is not dumb, unless NO_COLOR is set.
bool stdout_has_colour();

// Gives the exit code: kDone, or that of a standard output which does not take it.
int print(std::string_view text);
int print_json(const wire::json::value& value);

enum class Tone { plain, strong, good, busy, bad, faint };

// The text with what turns the tone on and off around it, where there is colour.
std::string toned(std::string_view text, Tone tone);
// For the states of sessions and PTYs.
Tone tone_of_state(std::string_view state);

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

// Columns are as wide as their widest cell, two spaces apart; the last one ends where its text does. What is
// in the cells may come from anywhere: control characters are made visible.
class Table {
 public:
  explicit Table(std::vector<std::string> head);

  void add(std::vector<Cell> row);
  bool empty() const { return rows_.size() == 1; }
  std::string text(std::string_view indent = "") const;

 private:
  std::vector<std::vector<Cell>> rows_;
};

// Text of others, for a terminal: lines and tabs stay, other control characters show as ^X. With a newline at
// the end.
std::string harmless_lines(std::string_view text);

// Columns that a terminal gives the text, near enough for aligning.
size_t width_of(std::string_view text);
// Cut to so many columns, with "…" at the end.
std::string clip(std::string_view text, size_t most);

}  // namespace cli
