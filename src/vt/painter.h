// SPDX-License-Identifier: Apache-2.0
// Painter: writes lines to a terminal that is not there, knowing where its cursor is and which style it has.
// The terminal must be in its initial state, apart from what stands on it. Used by the snapshot.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "vt/screen.h"

namespace vt {

class Painter {
 public:
  explicit Painter(const Screen& screen) : screen_(screen), size_(screen.size()) {}

  // Rows `first` (negative: from the scrollback) to the last of a screen whose rows are all blank.
  void paint(Which which, int first);

  void raw(std::string_view bytes) { out_ += bytes; }
  void pen(const Style& style);
  // Wherever it is, also outside of the margins in origin mode, also with a wrap pending.
  void cursor(Which which, Cursor at);
  // Writes the character before the cursor again, so that the terminal knows that it stands behind text.
  void cursor_behind_text(Which which, Cursor at);
  // What the terminal has been told about them.
  void set_region(Region region);
  void set_origin(Switch to);
  void forget_position() { known_ = false; }
  void fresh_screen();

  const std::string& text() const { return out_; }

 private:
  void paint_line(const Line& line, int y);
  void paint_glyphs(const Line& line, int y, size_t from, size_t to);
  void put(const Line& line, size_t x);
  void marks(const Line& line, int y);
  bool joins_left(const Line& line, size_t x) const;
  enum class Scrolls : bool { no, yes };
  bool can_flow(const Line& before, const Line& line, Scrolls scrolls) const;
  void next_row(const Line& before, int y);
  void wrap(const Line& before, const Line& line, int y_before, int y);
  bool pend_wrap(const Line& line, int y);
  void go(int y, int x);
  void place(Cursor at);
  void link(uint32_t number);

  const Screen& screen_;
  Size size_;
  std::string out_;
  Cursor at_;
  bool known_ = true;  // whether at_ is where the cursor is
  Style style_;
  Region region_{0, INT32_MAX};
  bool origin_ = false;
};

}  // namespace vt
