// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"

namespace vt_test {
namespace {

std::string describe(const StyleView& style) {
  return fmt::format("fg {:#x} bg {:#x} flags {:#x} underline {}/{:#x} link '{}'", style.foreground,
                     style.background, style.flags, style.underline, style.underline_colour,
                     base::printable(style.link));
}

std::string describe(const CellView& cell, const View& view) {
  return fmt::format("'{}' width {} {}", base::printable(cell.text), cell.width,
                     describe(view.styles[cell.style]));
}

std::string text_of(const RowView& row) {
  std::string text;
  for (const CellView& cell : row.cells) text += cell.text.empty() && cell.width == 1 ? " " : cell.text;
  return text;
}

bool same_text(const CellView& a, const CellView& b) {
  const auto blank = [](const CellView& cell) {
    return cell.width == 1 && (cell.text.empty() || cell.text == " ");
  };
  return a.width == b.width && (a.text == b.text || (blank(a) && blank(b)));
}

class Comparison {
 public:
  Comparison(const View& ours, const View& theirs) : ours_(ours), theirs_(theirs) {}

  std::string run() {
    value("columns", ours_.cols, theirs_.cols);
    value("rows", ours_.rows, theirs_.rows);
    value("alternate screen", ours_.alternate, theirs_.alternate);
    rows("screen", ours_.screen, theirs_.screen);
    value("cursor row", ours_.cursor_y, theirs_.cursor_y);
    value("cursor column", ours_.cursor_x, theirs_.cursor_x);
    value("pending wrap", ours_.pending_wrap, theirs_.pending_wrap);
    rows("main screen", ours_.main_screen, theirs_.main_screen);
    value("rows in the scrollback", ours_.scrollback_length, theirs_.scrollback_length);
    rows("scrollback", ours_.scrollback, theirs_.scrollback);
    if (found_.empty() && ours_.styles[ours_.pen] != theirs_.styles[theirs_.pen])
      found_ = fmt::format("pen: ours {}, theirs {}", describe(ours_.styles[ours_.pen]),
                           describe(theirs_.styles[theirs_.pen]));
    value("top of the scroll region", ours_.scroll_top, theirs_.scroll_top);
    value("bottom of the scroll region", ours_.scroll_bottom, theirs_.scroll_bottom);
    if (found_.empty() && ours_.tabs != theirs_.tabs)
      found_ = fmt::format("tab stops: ours {}, theirs {}", ours_.tabs, theirs_.tabs);
    for (const auto& [name, mode] : theirs_.modes)
      value("mode " + name, ours_.modes.contains(name) ? ours_.modes.at(name) : "unknown", mode);
    value("title", base::printable(ours_.title), base::printable(theirs_.title));
    value("replies", base::printable(ours_.replies, 2000), base::printable(theirs_.replies, 2000));
    return found_;
  }

 private:
  template <typename T>
  void value(const std::string& what, const T& ours, const T& theirs) {
    if (found_.empty() && ours != theirs) found_ = fmt::format("{}: ours {}, theirs {}", what, ours, theirs);
  }

  void rows(const std::string& what, const std::vector<RowView>& ours, const std::vector<RowView>& theirs) {
    value(what + ": number of rows", ours.size(), theirs.size());
    for (size_t y = 0; y < ours.size() && found_.empty(); y++)
      row(fmt::format("{} row {}", what, y), ours[y], theirs[y]);
  }

  void row(const std::string& what, const RowView& ours, const RowView& theirs) {
    const CellView none{};
    for (size_t x = 0; x < std::max(ours.cells.size(), theirs.cells.size()) && found_.empty(); x++) {
      const CellView& a = x < ours.cells.size() ? ours.cells[x] : none;
      const CellView& b = x < theirs.cells.size() ? theirs.cells[x] : none;
      if (!same_text(a, b) || ours_.styles[a.style] != theirs_.styles[b.style])
        found_ = fmt::format("{} column {}:\n  ours   {}\n  theirs {}\n  ours   |{}|\n  theirs |{}|", what, x,
                             describe(a, ours_), describe(b, theirs_), text_of(ours), text_of(theirs));
    }
    value(what + " continues the one above", ours.wrapped, theirs.wrapped);
  }

  const View& ours_;
  const View& theirs_;
  std::string found_;
};

}  // namespace

std::string difference(const View& ours, const View& theirs) { return Comparison(ours, theirs).run(); }

}  // namespace vt_test
