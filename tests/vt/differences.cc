// SPDX-License-Identifier: Apache-2.0
#include "differences.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "shrink.h"

namespace vt_test {
namespace {

bool is_blank(const CellView& cell) { return cell.text.empty() && cell.width == 1; }

// An erased cell of xterm.js may keep attributes that vt's never has: only its background shows.
void strip_blanks(View& view) {
  const size_t known = view.styles.size();
  std::vector<size_t> plain(known);
  for (size_t i = 0; i < known; i++) {
    plain[i] = view.styles.size();
    view.styles.push_back({.background = view.styles[i].background});
  }
  for (std::vector<RowView>* rows : {&view.screen, &view.main_screen, &view.scrollback})
    for (RowView& row : *rows)
      for (CellView& cell : row.cells)
        if (is_blank(cell)) cell.style = plain[cell.style];
}

bool is_half(const RowView& row, size_t x) {
  const int width = row.cells[x].width;
  if (width == 2) return x + 1 >= row.cells.size() || row.cells[x + 1].width != 0;
  return width == 0 && (x == 0 || row.cells[x - 1].width != 2);
}

// xterm.js leaves the other half of a wide character that was cut; in vt it is a blank.
void mend_halves(const View& ours, View& theirs) {
  const auto mend = [&](const std::vector<RowView>& a, std::vector<RowView>& b) {
    for (size_t y = 0; y < std::min(a.size(), b.size()); y++)
      for (size_t x = 0; x < b[y].cells.size(); x++) {
        if (!is_half(b[y], x)) continue;
        const CellView blank = x < a[y].cells.size() ? a[y].cells[x] : CellView{};
        if (!is_blank(blank)) continue;
        theirs.styles.push_back(ours.styles[blank.style]);
        b[y].cells[x] = {.text = {}, .width = 1, .style = theirs.styles.size() - 1};
      }
  };
  mend(ours.screen, theirs.screen);
  mend(ours.main_screen, theirs.main_screen);
  mend(ours.scrollback, theirs.scrollback);
}

// The colour of a line that is not drawn: xterm.js forgets it.
void strip_unused_colours(View& view) {
  for (StyleView& style : view.styles)
    if (style.underline == 0) style.underline_colour = -1;
}

// Whether the oldest row continues one that is no more: vt says no.
void unwrap_oldest(View& view) {
  if (view.alternate) view.screen[0].wrapped = false;
  std::vector<RowView>& screen = view.alternate ? view.main_screen : view.screen;
  if (view.scrollback_length == 0 && !screen.empty()) screen[0].wrapped = false;
  if (!view.scrollback.empty()) view.scrollback[0].wrapped = false;
}

// A row whose predecessor was scrolled out of a region, deleted or moved away: vt takes back that it
// continues it, and xterm.js does not.
void accept_forgotten_wraps(const View& ours, View& theirs) {
  const auto accept = [](const std::vector<RowView>& a, std::vector<RowView>& b) {
    for (size_t y = 0; y < std::min(a.size(), b.size()); y++) b[y].wrapped = b[y].wrapped && a[y].wrapped;
  };
  accept(ours.screen, theirs.screen);
  accept(ours.main_screen, theirs.main_screen);
  accept(ours.scrollback, theirs.scrollback);
}

// xterm.js reports the cursor one column outside the window while a wrap is pending.
void correct_positions(View& view) {
  const std::string wrong = fmt::format(";{}R", view.cols + 1);
  for (size_t at; (at = view.replies.find(wrong)) != std::string::npos;)
    view.replies.replace(at, wrong.size(), fmt::format(";{}R", view.cols));
}

// What kind of terminal it is, vt says for itself; colours, capabilities, version, keyboard flags and sizes
// in pixels xterm.js does not tell at all.
bool is_about_the_terminal(std::string_view reply) {
  const bool device = reply.starts_with("\033[?") && reply.ends_with("c");
  const bool keyboard = reply.starts_with("\033[?") && reply.ends_with("u");
  const bool pixels = (reply.starts_with("\033[4;") || reply.starts_with("\033[6;")) && reply.ends_with("t");
  return device || keyboard || pixels || reply.starts_with("\033P>|") || reply.contains("+r") ||
         reply.starts_with("\033]");
}

// The mode that a DECRPM report is about, with its question mark or without.
std::string_view reported_mode(std::string_view reply) {
  if (!reply.starts_with("\033[") || !reply.ends_with("$y")) return {};
  return reply.substr(2, reply.find(';') - 2);
}

void accept_replies(std::string& ours, std::string& theirs) {
  std::vector<std::string> unknown;  // modes that xterm.js has never heard of
  for (const std::string& reply : split_sequences(theirs))
    if (reply.ends_with(";0$y")) unknown.emplace_back(reported_mode(reply));
  for (std::string* replies : {&ours, &theirs}) {
    std::string kept;
    for (const std::string& reply : split_sequences(*replies))
      if (!is_about_the_terminal(reply) && std::ranges::find(unknown, reported_mode(reply)) == unknown.end())
        kept += reply;
    *replies = kept;
  }
}

}  // namespace

void accept_known_differences(View& ours, View& theirs) {
  mend_halves(ours, theirs);
  strip_blanks(theirs);
  strip_unused_colours(ours);
  strip_unused_colours(theirs);
  unwrap_oldest(ours);
  unwrap_oldest(theirs);
  accept_forgotten_wraps(ours, theirs);
  correct_positions(theirs);
  accept_replies(ours.replies, theirs.replies);
}

}  // namespace vt_test
