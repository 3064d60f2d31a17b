// SPDX-License-Identifier: Apache-2.0
#include "detect/menu.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "detect/entry.h"

namespace detect {
namespace {

constexpr size_t kMostEntries = 60;
constexpr size_t kMostHelpLines = 8;    // below a list: what the keys do
constexpr size_t kMostDescription = 4;  // lines of explanation under one entry
constexpr size_t kQuestionReach = 20;   // lines above a list that may say what it is about

std::optional<long> number_of(const std::string& key) {
  long value = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), value);
  if (error != std::errc() || end != key.data() + key.size()) return {};
  return value;
}

// Whether `b` may stand right behind `a` in a list of keys.
bool follows(const std::string& a, const std::string& b) {
  const auto first = number_of(a);
  const auto second = number_of(b);
  if (first && second) return *second == *first + 1;
  return a.size() == 1 && b.size() == 1 && !first && !second && b[0] == static_cast<char>(a[0] + 1);
}

struct Found {
  size_t line;
  Entry entry;
};

// Goes from an entry in one direction, as long as lines are its brothers: they begin in the same column and,
// where there are keys, count on. What is indented further explains the entry above it.
template <typename Step>
std::vector<Found> brothers(const View& view, const Found& from, Step step, bool down) {
  std::vector<Found> out;
  Found last = from;
  size_t explained = 0;
  bool blank_before = false;
  for (size_t i = from.line; step(i) && out.size() < kMostEntries;) {
    if (inside_border(view.lines[i].text).empty()) {
      // A list without keys ends at the first gap; with keys the next one tells.
      if (from.entry.key.empty() || blank_before) break;
      blank_before = true;
      continue;
    }
    const auto entry = read_entry(view.lines[i]);
    if (!entry || entry->column < from.entry.column) break;
    if (entry->rule && entry->column == from.entry.column) continue;
    if (entry->column > from.entry.column || entry->key.empty() != from.entry.key.empty()) {
      if (entry->column == from.entry.column && from.entry.key.empty()) break;
      if (++explained > kMostDescription) break;
      continue;
    }
    if (entry->pointer) break;
    if (!entry->key.empty() &&
        !(down ? follows(last.entry.key, entry->key) : follows(entry->key, last.entry.key)))
      break;
    last = {i, *entry};
    out.push_back(last);
    explained = 0;
    blank_before = false;
  }
  return out;
}

std::string arrows(const View& view, std::ptrdiff_t steps, char forward, char back) {
  std::string keys;
  const std::string lead = view.application_cursor ? "\x1bO" : "\x1b[";
  for (std::ptrdiff_t i = 0; i < std::abs(steps); i++) keys += lead + (steps > 0 ? forward : back);
  return keys;
}

bool usual_button(std::string_view label) {
  constexpr auto kUsual =
      std::to_array<std::string_view>({"OK", "Ok", "Yes", "No", "Cancel", "Continue", "Quit", "Exit", "Back",
                                       "Next", "Done", "Help", "Retry", "Abort"});
  return std::find(kUsual.begin(), kUsual.end(), label) != kUsual.end();
}

struct Button {
  std::string label;
  size_t column;
};

// A row of buttons has nothing beside them but blanks and borders.
std::vector<Button> buttons_of(const ViewLine& line) {
  const std::u32string cells = cells_of(line.line);
  std::vector<Button> buttons;
  for (size_t i = 0; i < cells.size(); i++) {
    const char32_t open = cells[i];
    if (open == U' ' || open == 0 || is_border(open) || (open >= U'\u2500' && open <= U'\u259F')) continue;
    if (open != U'<' && open != U'[') return {};
    const size_t end = cells.find(open == U'<' ? U'>' : U']', i + 1);
    if (end == std::u32string::npos || end - i > 30) return {};
    std::string label = to_text(cells, i + 1, end);
    // Square brackets stand around many things.
    if (label.size() < 2 || (open == U'[' && !usual_button(label))) return {};
    buttons.push_back({std::move(label), i + 1});
    i = end;
  }
  return buttons;
}

}  // namespace

std::optional<Menu> find_pointer_menu(const View& view) {
  const size_t bottom = view.last_text_line();
  for (size_t i = bottom + 1, passed = 0; i-- > 0 && passed <= kMostHelpLines + kMostEntries;) {
    if (view.lines[i].blank()) continue;
    passed++;
    const auto entry = read_entry(view.lines[i]);
    if (!entry || !entry->pointer || entry->rule) continue;
    const Found anchor{i, *entry};
    auto above = brothers(view, anchor, [](size_t& at) { return at-- > 0; }, false);
    const auto below = brothers(view, anchor, [&](size_t& at) { return ++at < view.lines.size(); }, true);
    if (above.empty() && below.empty()) continue;
    std::reverse(above.begin(), above.end());

    Menu menu;
    menu.chosen = above.size();
    menu.first = above.empty() ? i : above.front().line;
    menu.last = below.empty() ? i : below.back().line;
    std::vector<Found> all = std::move(above);
    all.push_back(anchor);
    all.insert(all.end(), below.begin(), below.end());
    menu.several =
        std::count_if(all.begin(), all.end(), [](const Found& each) { return each.entry.box; }) > 1;
    size_t help = 0;
    for (size_t line = menu.last + 1; line < view.lines.size(); line++)
      help += view.lines[line].blank() ? 0 : 1;
    if (help > kMostHelpLines) return {};
    for (size_t n = 0; n < all.size(); n++) {
      const Entry& each = all[n].entry;
      const auto steps = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(menu.chosen);
      // Arrows work everywhere; a number is for the person who reads it.
      menu.choices.push_back(
          {each.label, each.key, arrows(view, steps, 'B', 'A') + (menu.several ? " " : "")});
    }
    return menu;
  }
  return {};
}

std::optional<Menu> find_keyed_list(const View& view, size_t below) {
  size_t i = below;
  while (i > 0 && view.lines[i - 1].blank() && below - i < 2) i--;
  if (i == 0) return {};
  // The lowest entry may have an explanation under it.
  size_t at = i - 1;
  std::optional<Entry> entry = read_entry(view.lines[at]);
  for (size_t n = 0; (!entry || entry->key.empty()) && at > 0 && n < kMostDescription; n++)
    entry = read_entry(view.lines[--at]);
  if (!entry || entry->key.empty()) return {};
  const Found last{at, *entry};
  auto all = brothers(view, last, [](size_t& line) { return line-- > 0; }, false);
  std::reverse(all.begin(), all.end());
  all.push_back(last);
  const std::string& first = all.front().entry.key;
  if (all.size() < 2 || (first != "1" && first != "0" && first != "a" && first != "A")) return {};
  Menu menu;
  menu.first = all.front().line;
  menu.last = i - 1;
  for (const Found& each : all) menu.choices.push_back({each.entry.label, each.entry.key, each.entry.key});
  return menu;
}

std::optional<Menu> find_buttons(const View& view) {
  const bool at_cursor = view.cursor_visible && !buttons_of(view.at_cursor()).empty();
  const size_t bottom = at_cursor ? view.cursor_line : view.last_text_line();
  for (size_t i = bottom + 1, passed = 0; i-- > 0 && passed < kMostHelpLines;) {
    if (view.lines[i].blank()) continue;
    passed++;
    const auto buttons = buttons_of(view.lines[i]);
    if (buttons.empty()) continue;
    Menu menu;
    menu.first = menu.last = i;
    // The one that looks unlike the others is the one that Enter would press.
    const auto style = [&](size_t n) { return view.lines[i].line.glyphs[buttons[n].column].style; };
    for (size_t n = 1; n < buttons.size(); n++) {
      if (style(n) == style(0)) continue;
      const bool first_is_odd = buttons.size() > 2 && style(1) == style(2);
      menu.chosen = first_is_odd ? 0 : n;
      if (buttons.size() == 2) {
        const vt::Style& a = style(0);
        const vt::Style& b = style(1);
        // Of two, the one in inverse or in bold, or else the one under the cursor.
        const auto strength = [](const vt::Style& s) {
          return (s.has(vt::kInverse) ? 2 : 0) + (s.has(vt::kBold) ? 1 : 0);
        };
        if (strength(a) != strength(b))
          menu.chosen = strength(a) > strength(b) ? 0 : 1;
        else
          menu.chosen = view.cursor_line == i && view.cursor_column < buttons[1].column - 1 ? 0
                        : view.cursor_line == i                                             ? 1
                                                                                            : 0;
      }
      break;
    }
    for (size_t n = 0; n < buttons.size(); n++) {
      const auto steps = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(menu.chosen);
      menu.choices.push_back({buttons[n].label, {}, arrows(view, steps, 'C', 'D')});
    }
    return menu;
  }
  return {};
}

std::optional<Menu> find_boxed_list(const View& view, size_t buttons) {
  struct Item {
    size_t line;
    size_t column;
    vt::Style style;
  };
  std::vector<Item> items;
  const auto take = [&]() -> std::optional<Menu> {
    if (items.size() < 2) return {};
    std::reverse(items.begin(), items.end());
    std::optional<size_t> odd;
    for (size_t n = 0; n < items.size(); n++) {
      const Item& other = items[n == 0 ? items.size() - 1 : n - 1];
      const Item& next = items[n + 1 == items.size() ? 0 : n + 1];
      if (items[n].style == other.style || items[n].style == next.style) continue;
      if (odd && items.size() > 2) return {};
      if (!odd) odd = n;
    }
    if (!odd) return {};
    Menu menu;
    menu.chosen = *odd;
    menu.first = items.front().line;
    menu.last = items.back().line;
    for (size_t n = 0; n < items.size(); n++) {
      const auto entry = read_entry(view.lines[items[n].line]);
      if (!entry) return {};
      menu.several = menu.several || entry->box;
      const auto steps = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(menu.chosen);
      menu.choices.push_back(
          {entry->label, entry->key, arrows(view, steps, 'B', 'A') + (entry->box ? " " : "")});
    }
    return menu;
  };
  const size_t highest = buttons > kMostEntries ? buttons - kMostEntries : 0;
  for (size_t i = buttons; i-- > highest;) {
    const std::u32string cells = cells_of(view.lines[i].line);
    size_t at = 0;
    while (at < cells.size() && (cells[at] == U' ' || cells[at] == 0 || is_border(cells[at]))) at++;
    const bool text = at < cells.size() && !(cells[at] >= U'\u2500' && cells[at] <= U'\u257F');
    if (text && (items.empty() || items.back().column == at)) {
      items.push_back({i, at, view.lines[i].line.glyphs[at].style});
      continue;
    }
    if (auto menu = take()) return menu;
    items.clear();
  }
  return {};
}

// The nearest paragraph that asks; where none does, the nearest.
std::string question_above(const View& view, size_t first) {
  std::string nearest;
  std::string paragraph;
  const auto close = [&]() -> bool {
    if (paragraph.empty()) return false;
    if (nearest.empty()) nearest = paragraph;
    const bool asks = paragraph.find('?') != std::string::npos;
    if (asks) nearest = paragraph;
    paragraph.clear();
    return asks;
  };
  for (size_t i = first, passed = 0; i-- > 0 && passed < kQuestionReach; passed++) {
    const std::string_view text = inside_border(view.lines[i].text);
    const bool drawn = text.starts_with("─") || text.starts_with("━") || text.starts_with("═") ||
                       text.starts_with("╭") || text.starts_with("┌") || text.starts_with("╔") ||
                       text.starts_with("├") || text.starts_with("╚");
    if (text.empty() || drawn) {
      if (close()) break;
      // Above its box a list has nothing to do with the text.
      if (drawn && !nearest.empty()) break;
      continue;
    }
    if (!paragraph.empty()) paragraph.insert(0, 1, '\n');
    paragraph.insert(0, text);
  }
  close();
  return nearest;
}

}  // namespace detect
