// SPDX-License-Identifier: Apache-2.0
#include "vt/modes.h"

#include <algorithm>

namespace vt {
namespace {

constexpr auto kAnsi = ModeSpace::ansi;
constexpr auto kDec = ModeSpace::dec;

constexpr std::array kModes{
    ModeInfo{Mode::insert, kAnsi, 4, "insert", false, true},
    ModeInfo{Mode::send_receive, kAnsi, 12, "send_receive", true, false},
    ModeInfo{Mode::new_line, kAnsi, 20, "new_line", false, false},
    ModeInfo{Mode::cursor_keys, kDec, 1, "cursor_keys", false, true},
    ModeInfo{Mode::reverse_video, kDec, 5, "reverse_video", false, false},
    ModeInfo{Mode::origin, kDec, 6, "origin", false, true},
    ModeInfo{Mode::autowrap, kDec, 7, "autowrap", true, true},
    ModeInfo{Mode::cursor_blink, kDec, 12, "cursor_blink", false, false},
    ModeInfo{Mode::cursor_visible, kDec, 25, "cursor_visible", true, true},
    ModeInfo{Mode::reverse_wrap, kDec, 45, "reverse_wrap", false, true},
    ModeInfo{Mode::keypad, kDec, 66, "keypad", false, true},
    ModeInfo{Mode::backarrow, kDec, 67, "backarrow", false, false},
    ModeInfo{Mode::focus, kDec, 1004, "focus", false, true},
    ModeInfo{Mode::alternate_scroll, kDec, 1007, "alternate_scroll", false, false},
    ModeInfo{Mode::meta_escape, kDec, 1036, "meta_escape", false, false},
    ModeInfo{Mode::bracketed_paste, kDec, 2004, "bracketed_paste", false, true},
    ModeInfo{Mode::synchronized, kDec, 2026, "synchronized", false, true},
    ModeInfo{Mode::graphemes, kDec, 2027, "graphemes", true, false},
    ModeInfo{Mode::color_scheme, kDec, 2031, "color_scheme", false, false},
    ModeInfo{Mode::in_band_resize, kDec, 2048, "in_band_resize", false, false},
    ModeInfo{Mode::win32_input, kDec, 9001, "win32_input", false, false},
};
static_assert(kModes.size() == static_cast<size_t>(Mode::count));

constexpr std::array<int, 5> kMouseProtocols{0, 9, 1000, 1002, 1003};
constexpr std::array<int, 5> kMouseEncodings{0, 1005, 1015, 1006, 1016};

template <typename Kind, size_t kCount>
std::optional<Kind> find_number(const std::array<int, kCount>& numbers, int number) {
  const auto found = std::find(numbers.begin() + 1, numbers.end(), number);
  if (found == numbers.end()) return {};
  return static_cast<Kind>(found - numbers.begin());
}

}  // namespace

std::span<const ModeInfo> all_modes() { return kModes; }

const ModeInfo* find_mode(ModeSpace space, int number) {
  for (const ModeInfo& info : kModes)
    if (info.space == space && info.number == number) return &info;
  return nullptr;
}

Modes::Modes() {
  for (const ModeInfo& info : kModes) set(info.mode, to_switch(info.initial));
}

void Modes::soft_reset() {
  for (const ModeInfo& info : kModes)
    if (info.soft_reset) set(info.mode, to_switch(info.initial));
}

int mouse_number(MouseProtocol protocol) { return kMouseProtocols[static_cast<size_t>(protocol)]; }
int mouse_number(MouseEncoding encoding) { return kMouseEncodings[static_cast<size_t>(encoding)]; }

std::optional<MouseProtocol> mouse_protocol(int number) {
  return find_number<MouseProtocol>(kMouseProtocols, number);
}

std::optional<MouseEncoding> mouse_encoding(int number) {
  return find_number<MouseEncoding>(kMouseEncodings, number);
}

void KeyboardStack::set(int flags, int how) {
  const auto given = static_cast<uint8_t>(flags & kAllFlags);
  uint8_t& top = entries_.back();
  if (how == 1) top = given;
  if (how == 2) top = static_cast<uint8_t>(top | given);
  if (how == 3) top = static_cast<uint8_t>(top & ~given);
}

void KeyboardStack::push(int flags) {
  if (entries_.size() == kMost) entries_.erase(entries_.begin());
  entries_.push_back(static_cast<uint8_t>(flags & kAllFlags));
}

void KeyboardStack::pop(int count) {
  const size_t pushed = entries_.size() - 1;
  if (static_cast<size_t>(count) > pushed)
    entries_ = {0};
  else
    entries_.resize(entries_.size() - static_cast<size_t>(count));
}

}  // namespace vt
