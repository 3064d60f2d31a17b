// SPDX-License-Identifier: Apache-2.0
#include "detect/entry.h"

#include <algorithm>
#include <string_view>

#include "vt/utf8.h"

namespace detect {
namespace {

// An asterisk or a dash is no pointer: git branch and every list of Markdown have them.
constexpr std::u32string_view kPointers = U"❯›▸▶➤➜→»>●◉◆⏵▌➔⮕👉";
constexpr std::u32string_view kBoxes = U"○◯◻☐☑☒◼◇◈⬡⬢□■✓✔";
constexpr std::u32string_view kBorders = U"│┃║╎┆▐█╏┊|";
constexpr size_t kLongestKey = 3;

bool one_of(std::u32string_view set, char32_t character) {
  return set.find(character) != std::u32string_view::npos;
}
bool digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool letter(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }

void skip_blanks(const std::u32string& cells, size_t& at) {
  while (at < cells.size() && (cells[at] == U' ' || cells[at] == 0)) at++;
}

// "[ ]", "[x]", "( )", "(*)"
bool skip_drawn_box(const std::u32string& cells, size_t& at) {
  if (at + 3 > cells.size()) return false;
  const char32_t open = cells[at];
  const char32_t close = cells[at + 2];
  if (!((open == U'[' && close == U']') || (open == U'(' && close == U')'))) return false;
  if (!one_of(U" xX*•●✓✔+", cells[at + 1])) return false;
  at += 3;
  return true;
}

// "1.", "12)", "a)", "(1)", "[b]"
std::string read_key(const std::u32string& cells, size_t& at) {
  size_t i = at;
  char32_t wants = 0;
  if (i < cells.size() && (cells[i] == U'(' || cells[i] == U'[')) wants = cells[i++] == U'(' ? U')' : U']';
  const size_t begin = i;
  if (i < cells.size() && digit(cells[i]))
    while (i < cells.size() && digit(cells[i])) i++;
  else if (i < cells.size() && letter(cells[i]))
    i++;
  const size_t end = i;
  if (end == begin || end - begin > kLongestKey || i >= cells.size()) return {};
  if (wants != 0 ? cells[i] != wants : cells[i] != U'.' && cells[i] != U')' && cells[i] != U':') return {};
  if (wants == 0 && cells[i] == U':' && !digit(cells[begin])) return {};
  i++;
  // "3.5 GB" and "e.g." are no entries.
  if (i < cells.size() && cells[i] != U' ') return {};
  at = i;
  return to_text(cells, begin, end);
}

// "──────", "3/3 ───────", "------"
bool is_rule(const std::u32string& cells, size_t from) {
  constexpr std::u32string_view kStrokes = U"─━═";
  constexpr size_t kLeast = 3;
  if (from + kLeast > cells.size()) return false;
  const std::u32string_view text = std::u32string_view(cells).substr(from);
  if (text.find_first_not_of(U'-') == std::u32string_view::npos) return true;
  const size_t end = text.find_last_not_of(text.back());
  return one_of(kStrokes, text.back()) && (end == std::u32string_view::npos || text.size() - end > kLeast);
}

}  // namespace

bool is_border(char32_t character) { return one_of(kBorders, character); }

std::u32string cells_of(const vt::Line& line) {
  std::u32string cells;
  cells.reserve(line.glyphs.size());
  for (const vt::Glyph& glyph : line.glyphs) {
    const std::u32string characters = line.characters(glyph);
    cells += glyph.tail() ? U'\0' : characters.empty() ? U' ' : characters.front();
  }
  while (!cells.empty() && cells.back() == U' ') cells.pop_back();
  return cells;
}

std::string to_text(const std::u32string& cells, size_t from, size_t to) {
  std::string text;
  for (size_t i = from; i < std::min(to, cells.size()); i++)
    if (cells[i] != 0) vt::utf8::append(text, cells[i]);
  return std::string(trim(text));
}

std::optional<Entry> read_entry(const ViewLine& line) {
  std::u32string cells = cells_of(line.line);
  size_t at = 0;
  skip_blanks(cells, at);
  while (at < cells.size() && is_border(cells[at])) {
    at++;
    skip_blanks(cells, at);
  }
  // What stands behind a border is another pane.
  for (size_t i = at; i < cells.size(); i++) {
    if (cells[i] != U'|' && is_border(cells[i])) cells.resize(i);
  }
  while (!cells.empty() && (cells.back() == U' ' || cells.back() == U'|')) cells.pop_back();
  Entry entry;
  if (at < cells.size() && one_of(kPointers, cells[at]) &&
      (at + 1 >= cells.size() || cells[at + 1] == U' ' || cells[at + 1] == 0)) {
    entry.pointer = true;
    at++;
    skip_blanks(cells, at);
  }
  if (at < cells.size() && one_of(kBoxes, cells[at])) {
    entry.box = true;
    at++;
    skip_blanks(cells, at);
  } else if (skip_drawn_box(cells, at)) {
    entry.box = true;
    skip_blanks(cells, at);
  }
  entry.column = at;
  entry.rule = is_rule(cells, at);
  entry.key = read_key(cells, at);
  entry.label = to_text(cells, at, cells.size());
  if (entry.label.empty()) return {};
  return entry;
}

}  // namespace detect
