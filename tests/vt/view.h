// SPDX-License-Identifier: Apache-2.0
// View: everything of a terminal that two of them can be compared by, however they keep it.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace vt_test {

// Colours are -1 (default), 0 to 255 (palette) or 0x1000000 + RGB; flags and underline as in
// tests/oracle/README.md.
struct StyleView {
  int foreground = -1;
  int background = -1;
  int flags = 0;
  int underline = 0;
  int underline_colour = -1;
  std::string link = {};
  friend bool operator==(const StyleView&, const StyleView&) = default;
};

struct CellView {
  std::string
      text;  // none for a blank, which compares equal to a space, and for the second column of a wide one
  int width = 1;
  size_t style = 0;  // in View::styles
};

struct RowView {
  bool wrapped = false;
  std::vector<CellView> cells;  // without the default blanks at its end
};

struct View {
  int cols = 0;
  int rows = 0;
  bool alternate = false;
  int cursor_x = 0;
  int cursor_y = 0;
  bool pending_wrap = false;
  std::vector<StyleView> styles = {};
  std::vector<RowView> screen = {};
  std::vector<RowView> main_screen = {};  // while the alternate one shows
  std::vector<RowView> scrollback = {};
  size_t scrollback_length = 0;
  size_t pen = 0;
  int scroll_top = 0;
  int scroll_bottom = 0;
  std::vector<int> tabs = {};
  std::map<std::string, std::string> modes = {};
  std::string title = {};
  std::string replies = {};
};

// The first thing in which they differ, in words; empty if they are equal.
std::string difference(const View& ours, const View& theirs);

}  // namespace vt_test
