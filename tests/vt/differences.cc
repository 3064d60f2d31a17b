// SPDX-License-Identifier: Apache-2.0
#include "differences.h"

#include <algorithm>
#include <string_view>

#include "shrink.h"

namespace vt_test {
namespace {

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
        if (cell.text.empty() && cell.width == 1) cell.style = plain[cell.style];
}

// What kind of terminal it is, vt says for itself; colours, capabilities, version, keyboard flags and sizes in pixels
// xterm.js does not tell at all.
bool is_about_the_terminal(std::string_view reply) {
  const bool device = reply.starts_with("\033[?") && reply.ends_with("c");
  const bool keyboard = reply.starts_with("\033[?") && reply.ends_with("u");
  const pixels = (reply.starts_with("\033[4;") || reply.starts_with("\033[6;")) && reply.ends_with("t");
  return device || keyboard || pixels || reply.starts_with("\033P>|") || reply.contains("+r") || reply.starts_with("\033]");
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
      if (!is_about_the_terminal(reply) && std::ranges::find(unknown, reported_mode(reply)) == unknown.end()) kept += reply;
    *replies = kept;
  }
}

}  // namespace

void accept_known_differences(View& ours, View& theirs) {
  strip_blanks(theirs);
  accept_replies(ours.replies, theirs.replies);
}

}  // namespace vt_test
