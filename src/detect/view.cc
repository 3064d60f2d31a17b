// SPDX-License-Identifier: Apache-2.0
#include "detect/view.h"

#include <algorithm>
#include <array>
#include <utility>

#include "vt/logical_line.h"

namespace detect {
namespace {

constexpr std::array<std::string_view, 10> kBorders{"│", "┃", "║", "╎", "┆", "▌", "▐", "█", "╏", "┊"};

bool drop_front(std::string_view& text) {
  for (const std::string_view border : kBorders) {
    if (!text.starts_with(border)) continue;
    text.remove_prefix(border.size());
    return true;
  }
  return false;
}

bool drop_back(std::string_view& text) {
  for (const std::string_view border : kBorders) {
    if (!text.ends_with(border)) continue;
    text.remove_suffix(border.size());
    return true;
  }
  return false;
}

// The first row to read, so that at most `most` rows above the cursor are in, and no line begins in its
// middle unless it is longer than that.
int oldest_row(const vt::Screen& screen, size_t most) {
  if (screen.showing() == vt::Which::alternate) return 0;
  const auto back = static_cast<int>(std::min(screen.scrollback().size(), most));
  const int top = screen.cursor().y - static_cast<int>(std::min<size_t>(most, 1'000'000));
  return std::max(-back, top);
}

}  // namespace

View View::of(const vt::Screen& screen, const Horizon& horizon) {
  View view;
  view.cursor_visible = screen.modes()[vt::Mode::cursor_visible];
  view.alternate = screen.showing() == vt::Which::alternate;
  view.application_cursor = screen.modes()[vt::Mode::cursor_keys];
  view.rows = screen.size().rows;
  view.first_row = screen.scrollback().dropped() + screen.scrollback().size();

  vt::LogicalLine joined(screen.size().columns);
  vt::Line row;
  int started = 0;
  const auto close = [&] {
    if (joined.empty()) return;
    view.lines.push_back({joined.line().text(), joined.line(), started});
    joined.clear();
  };
  for (int y = oldest_row(screen, horizon.lines); y < view.rows; y++) {
    screen.read(y, row);
    if (!row.wrapped || view.alternate) close();
    if (joined.empty()) started = y;
    const size_t start = joined.add(row);
    if (y != screen.cursor().y) continue;
    view.cursor_row = row.text();
    view.cursor_line = view.lines.size();
    view.cursor_column = start + static_cast<size_t>(std::max(screen.cursor().x, 0));
  }
  close();

  size_t bytes = 0;
  size_t kept = view.lines.size();
  while (kept > 0 && bytes + view.lines[kept - 1].text.size() <= horizon.bytes)
    bytes += view.lines[--kept].text.size();
  // The cursor's line stays, however long it is.
  kept = std::min(kept, view.cursor_line);
  view.lines.erase(view.lines.begin(), view.lines.begin() + static_cast<std::ptrdiff_t>(kept));
  view.cursor_line -= kept;
  return view;
}

std::string View::before_cursor() const {
  const ViewLine& line = at_cursor();
  vt::Line part;
  part.append(line.line, 0, std::min(cursor_column, line.line.glyphs.size()));
  return part.text();
}

size_t View::last_text_line() const {
  for (size_t i = lines.size(); i-- > 0;)
    if (!lines[i].blank()) return i;
  return 0;
}

std::string View::tail(size_t characters) const {
  const size_t last = cursor_visible && !alternate ? cursor_line : last_text_line();
  std::string text;
  for (size_t i = last + 1; i-- > 0 && text.size() < characters * 4;) {
    if (lines[i].blank() && text.empty()) continue;
    if (!text.empty()) text.insert(0, 1, '\n');
    text.insert(0, lines[i].text);
  }
  size_t begin = text.size();
  for (size_t count = 0; begin > 0 && count < characters; count++) {
    begin--;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) begin--;
  }
  return text.substr(begin);
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view inside_border(std::string_view text) {
  text = trim(text);
  while (drop_front(text)) {
    text = trim(text);
    if (drop_back(text)) text = trim(text);
  }
  // Bars of plain text are a border only where they stand on both sides.
  if (text.size() >= 2 && text.front() == '|' && text.back() == '|')
    return trim(text.substr(1, text.size() - 2));
  return text;
}

}  // namespace detect
