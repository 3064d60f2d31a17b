// SPDX-License-Identifier: Apache-2.0
// Changing the size. When columns change, the rows of the main screen and its scrollback are joined to the
// lines they were wrapped from and wrapped anew, and the cursor stays at its character. Rows are then taken
// from the scrollback or given to it at the top, so that the bottom of the text stays at the bottom of the
// screen; only where there was free space below the text does the top stay where it was.
#include <algorithm>
#include <optional>

#include "vt/logical_line.h"
#include "vt/screen.h"

namespace vt {
namespace {

// Cuts a logical line into rows. Positions are counted from the first of them.
class Wrapper {
 public:
  Wrapper(const Line& line, int columns, std::vector<Line>& out)
      : line_(line), columns_(static_cast<size_t>(columns)) {
    size_t from = 0;
    do {
      const size_t to = end_of_row(from);
      starts_.push_back(from);
      Line row;
      row.wrapped = from > 0;
      row.append(line, from, to);
      if (columns_ < 2) std::ranges::replace_if(row.glyphs, is_wide, Glyph{});
      row.trim();
      out.push_back(std::move(row));
      from = to;
    } while (from < line.glyphs.size());
    if (line.wrapped) out[out.size() - starts_.size()].wrapped = true;
    for (Mark mark : line.marks) {
      const Cursor at = find(mark.column);
      mark.column = static_cast<uint32_t>(std::min(at.x, columns - 1));
      out[out.size() - starts_.size() + static_cast<size_t>(at.y)].marks.push_back(mark);
    }
  }

  Cursor find(size_t offset) const {
    const auto after = std::ranges::upper_bound(starts_, offset);
    const auto row = static_cast<size_t>(after - starts_.begin()) - 1;
    const size_t x = offset - starts_[row];
    // Past the end of the text only the place right behind it is kept exactly: there the next character goes.
    const size_t most = offset == line_.glyphs.size() ? columns_ : columns_ - 1;
    return {static_cast<int>(std::min(x, most)), static_cast<int>(row)};
  }

 private:
  static bool is_wide(const Glyph& glyph) { return glyph.wide() || glyph.tail(); }

  size_t end_of_row(size_t from) const {
    const size_t to = std::min(from + columns_, line_.glyphs.size());
    const bool splits = to < line_.glyphs.size() && line_.glyphs[to].tail() && columns_ > 1;
    return splits ? to - 1 : to;
  }

  const Line& line_;
  size_t columns_;
  std::vector<size_t> starts_;
};

int last_row_in_use(const Page& page, int at_least) {
  int y = page.rows() - 1;
  while (y > at_least && page.row(y).used() == 0 && page.row(y).marks.empty() && !page.row(y).wrapped) y--;
  return y;
}

// Everything that ended before row `count`, wrapped anew.
Scrollback rewrap(const Scrollback& old, size_t count, int old_columns, int columns) {
  Scrollback next(old.most());
  Line row;
  std::vector<Line> rows;
  for (size_t i = 0; i < count;) {
    size_t end = i + 1;
    while (end < count && old.info(end).wrapped) end++;
    if (end == i + 1 && old.info(i).columns <= columns && !old.info(i).marks) {
      next.copy(old, i);
    } else {
      LogicalLine line(old_columns);
      for (size_t k = i; k < end; k++) {
        old.read(k, row);
        line.add(row);
      }
      rows.clear();
      const Wrapper wrapper(line.line(), columns, rows);
      for (const Line& one : rows) next.push(one);
    }
    i = end;
  }
  return next;
}

}  // namespace

void Screen::resize_main(Size size) {
  if (size.columns == size_.columns) return change_rows(size);
  // Behind the alternate screen it is the saved cursor that comes back.
  Cursor& cursor = which_ == Which::main ? main_.cursor : main_.saved.at;
  const int last = last_row_in_use(main_.page, cursor.y);
  const bool free_below = last < size_.rows - 1;

  // The first line of the screen may have begun in the scrollback.
  size_t kept = scrollback_.size();
  bool goes_back = main_.page.row(0).wrapped;
  while (goes_back && kept > 0) goes_back = scrollback_.info(--kept).wrapped;
  Scrollback next = rewrap(scrollback_, kept, size_.columns, size.columns);

  std::vector<Line> rows;
  Line row;
  int top = 0;
  Cursor found;
  for (int y = static_cast<int>(kept) - static_cast<int>(scrollback_.size()); y <= last;) {
    LogicalLine line(size_.columns);
    std::optional<size_t> top_offset;
    std::optional<size_t> cursor_offset;
    do {
      read(Which::main, y, row);
      const size_t start = line.add(row);
      if (y == 0) top_offset = start;
      if (y == cursor.y) cursor_offset = start + static_cast<size_t>(cursor.x);
      y++;
    } while (y <= last && (y < 0 ? scrollback_.info(scrollback_.size() - static_cast<size_t>(-y)).wrapped
                                 : main_.page.row(y).wrapped));
    const auto before = static_cast<int>(rows.size());
    const Wrapper wrapper(line.line(), size.columns, rows);
    if (top_offset) top = before + wrapper.find(*top_offset).y;
    if (cursor_offset) {
      found = wrapper.find(*cursor_offset);
      found.y += before;
    }
  }

  const auto count = static_cast<int>(rows.size());
  int first = free_below ? std::max(top, count - size.rows) : count - size.rows;
  first = std::min(first, found.y);
  for (; first < 0 && next.size() > 0; first++) {
    next.pop(row);
    rows.insert(rows.begin(), row);
    found.y++;
  }
  first = std::max(first, 0);
  std::vector<Row> shown;
  for (int i = 0; i < static_cast<int>(rows.size()); i++) {
    if (i < first)
      next.push(rows[static_cast<size_t>(i)]);
    else if (i < first + size.rows)
      shown.push_back(make_row(rows[static_cast<size_t>(i)], size.columns));
  }
  cursor = {found.x, found.y - first};
  scrollback_ = std::move(next);
  main_.page.replace(std::move(shown), size);
  if (scrollback_.size() == 0) main_.page.row(0).wrapped = false;
  if (tables_.styles.wants_sweep()) collect();
}

// Only the number of rows changes: nothing is wrapped.
void Screen::change_rows(Size size) {
  Cursor& cursor = which_ == Which::main ? main_.cursor : main_.saved.at;
  const int free_below = size_.rows - 1 - last_row_in_use(main_.page, cursor.y);
  std::vector<Row> rows = main_.page.take();
  if (size.rows < size_.rows) {
    const int too_many = size_.rows - size.rows;
    const int off_top = std::min(std::max(0, too_many - free_below), cursor.y);
    for (int y = 0; y < off_top; y++) scrollback_.push(rows[static_cast<size_t>(y)], tables_);
    rows.erase(rows.begin(), rows.begin() + off_top);
    cursor.y -= off_top;
  } else if (free_below == 0) {
    Line line;
    for (int more = size.rows - size_.rows; more > 0 && scrollback_.size() > 0; more--) {
      scrollback_.pop(line);
      rows.insert(rows.begin(), make_row(line, size.columns));
      cursor.y++;
    }
  }
  cursor.y = std::min(cursor.y, size.rows - 1);
  main_.page.replace(std::move(rows), size);
  if (scrollback_.size() == 0) main_.page.row(0).wrapped = false;
  if (tables_.styles.wants_sweep()) collect();
}

void Screen::resize_alternate(Size size) {
  Cursor& cursor = alternate_.cursor;
  std::vector<Row> rows = alternate_.page.take();
  if (which_ == Which::alternate && cursor.y >= size.rows) {
    const int off_top = cursor.y - size.rows + 1;
    rows.erase(rows.begin(), rows.begin() + off_top);
    cursor.y -= off_top;
  }
  cursor = {std::min(cursor.x, size.columns - 1), std::min(cursor.y, size.rows - 1)};
  if (size.columns != size_.columns)
    for (Row& row : rows) row.set_columns(size.columns);
  alternate_.page.replace(std::move(rows), size);
  alternate_.page.row(0).wrapped = false;
}

Row Screen::make_row(const Line& line, int columns) {
  Row row(columns);
  row.wrapped = line.wrapped;
  for (const Mark& mark : line.marks) row.marks.add(mark);
  Style last;
  uint32_t id = 0;
  for (size_t x = 0; x < line.glyphs.size(); x++) {
    const Glyph& glyph = line.glyphs[x];
    if (glyph.tail()) continue;
    if (glyph.style != last) {
      last = glyph.style;
      id = tables_.styles.intern(last);
    }
    uint32_t text = glyph.text;
    if ((text & Cell::kCluster) != 0)
      text = tables_.clusters.intern(line.characters(glyph)) | (text & ~Cell::kValue);
    row.put(static_cast<int>(x), {text, id}, 0);
  }
  return row;
}

}  // namespace vt
