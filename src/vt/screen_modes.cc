// SPDX-License-Identifier: Apache-2.0
// Setting modes, changing between the two screens, titles on their stacks.
#include <algorithm>

#include "vt/screen.h"

namespace vt {
namespace {

void push(std::vector<std::string>& stack, const std::string& text) {
  if (stack.size() == Titles::kMostStacked) stack.erase(stack.begin());
  stack.push_back(text);
}

void pop(std::vector<std::string>& stack, std::string& text) {
  if (stack.empty()) return;
  text = std::move(stack.back());
  stack.pop_back();
}

}  // namespace

void Screen::set_modes(const Sequence& sequence, Switch to) {
  for (size_t i = 0; i < sequence.count; i++)
    if (const ModeInfo* info = find_mode(ModeSpace::ansi, sequence.values[i]); info != nullptr)
      modes_.set(info->mode, to);
}

void Screen::set_private_mode(int number, Switch to) {
  const bool on = to == Switch::on;
  if (const ModeInfo* info = find_mode(ModeSpace::dec, number); info != nullptr) {
    modes_.set(info->mode, to);
    if (info->mode == Mode::origin) place_cursor(0, 0);
    if (info->mode == Mode::in_band_resize && on) report_size(48);
    return;
  }
  if (const auto protocol = vt::mouse_protocol(number)) {
    mouse_protocol_ = on ? *protocol : MouseProtocol::none;
    return;
  }
  if (const auto encoding = vt::mouse_encoding(number)) {
    mouse_encoding_ = on ? *encoding : MouseEncoding::plain;
    return;
  }
  switch (number) {
    case 2:
      if (on) charsets_.sets = {};
      break;
    case 1048:
      on ? save_cursor() : restore_cursor();
      break;
    case 1049:
      if (on) save_cursor();
      [[fallthrough]];
    case 47:
    case 1047:
      show(on ? Which::alternate : Which::main);
      if (number == 1049 && !on) restore_cursor();
      break;
    default:
      break;
  }
}

// The cursor goes along. The alternate screen is new each time, but for its saved cursor and its keyboard
// flags.
void Screen::show(Which which) {
  if (which == which_) return;
  Buffer& to = which == Which::main ? main_ : alternate_;
  to.cursor = on_->cursor;
  behind_text_ = false;
  if (which == Which::alternate) {
    alternate_.page.clear(blank_id());
  } else {
    Buffer fresh(size_);
    alternate_.page.clear(0);
    alternate_.region = fresh.region;
    alternate_.tabs = std::move(fresh.tabs);
  }
  which_ = which;
  on_ = &to;
}

void Screen::window_operation(const Sequence& sequence) {
  const int what = sequence.at(0);
  const int which = sequence.at(1);  // 0 both, 1 icon, 2 title
  switch (what) {
    case 14:
      if (which != 2) report_size(what);
      break;
    case 16:
    case 18:
      report_size(what);
      break;
    case 22:
      if (which == 0 || which == 2) push(titles_.title_stack, titles_.title);
      if (which == 0 || which == 1) push(titles_.icon_stack, titles_.icon);
      break;
    case 23:
      if (which == 0 || which == 2) pop(titles_.title_stack, titles_.title);
      if (which == 0 || which == 1) pop(titles_.icon_stack, titles_.icon);
      break;
    default:
      break;
  }
}

}  // namespace vt
