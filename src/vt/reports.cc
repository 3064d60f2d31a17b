// SPDX-License-Identifier: Apache-2.0
// What programs ask the terminal, and the device control strings.
#include <algorithm>
#include <fmt/format.h>

#include "base/strings.h"
#include "vt/rendition.h"
#include "vt/screen.h"

namespace vt {
namespace {

constexpr size_t kMostCapabilities = 16;

// DECRPM
enum class Answer : uint8_t { unknown, set, reset, always_set, always_reset };

struct Capability {
  std::string_view name;
  std::string_view value;
};
constexpr Capability kCapabilities[] = {
    {"TN", "xterm-256color"}, {"Co", "256"}, {"colors", "256"}, {"RGB", "8/8/8"}};

std::string to_hex(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

void Screen::reply(std::string_view bytes) {
  if (sink_ != nullptr) sink_->reply(bytes);
}

void Screen::reply_color(std::string_view what, int index, Terminator terminator) {
  reply(fmt::format("\x1b]{};{}{}", what, color_spec(palette_.color(index)),
                    terminator == Terminator::bell ? "\a" : "\x1b\\"));
}

void Screen::device_status(const Sequence& sequence) {
  const bool dec = sequence.prefix == '?';
  const int row = on_->cursor.y + 1 - (modes_[Mode::origin] ? on_->region.top : 0);
  switch (sequence.at(0)) {
    case 5:
      if (!dec) reply("\x1b[0n");
      break;
    case 6:
      reply(fmt::format("\x1b[{}{};{}R", dec ? "?" : "", row, cursor_column() + 1));
      break;
    case 996:
      if (dec) {
        const Rgb back = palette_.color(Palette::kBackground);
        const bool dark = back.red * 299 + back.green * 587 + back.blue * 114 < 128 * 1000;
        reply(dark ? "\x1b[?997;1n" : "\x1b[?997;2n");
      }
      break;
    default:
      break;
  }
}

void Screen::report_size(int what) {
  const auto [columns, rows] = size_;
  const Pixels cell = options_.cell;
  if (what == 14) reply(fmt::format("\x1b[4;{};{}t", rows * cell.height, columns * cell.width));
  if (what == 16) reply(fmt::format("\x1b[6;{};{}t", cell.height, cell.width));
  if (what == 18) reply(fmt::format("\x1b[8;{};{}t", rows, columns));
  if (what == 48)
    reply(fmt::format("\x1b[48;{};{};{};{}t", rows, columns, rows * cell.height, columns * cell.width));
}

void Screen::request_mode(ModeSpace space, int number) {
  const auto answer = [&](Answer value) {
    reply(fmt::format("\x1b[{}{};{}$y", space == ModeSpace::dec ? "?" : "", number, static_cast<int>(value)));
  };
  const auto either = [&](bool on) { answer(on ? Answer::set : Answer::reset); };
  if (const ModeInfo* info = find_mode(space, number); info != nullptr) return either(modes_[info->mode]);
  if (space == ModeSpace::ansi) return answer(number == 2 ? Answer::always_reset : Answer::unknown);
  if (const auto protocol = vt::mouse_protocol(number)) return either(mouse_protocol_ == *protocol);
  if (const auto encoding = vt::mouse_encoding(number)) return either(mouse_encoding_ == *encoding);
  switch (number) {
    case 8:
      return answer(Answer::always_set);  // keys repeat
    case 1048:
      return answer(Answer::set);
    case 47:
    case 1047:
    case 1049:
      return either(which_ == Which::alternate);
    default:
      return answer(Answer::unknown);
  }
}

void Screen::device_control(const Sequence& sequence, std::string_view text) {
  drop_partial();
  if (sequence.intermediate_count != 1 || sequence.prefix != 0) return;
  const char kind = sequence.intermediates[0];
  if (kind == '$' && sequence.final == 'q') request_status(text);
  if (kind == '+' && sequence.final == 'q') request_capabilities(text);
  if (kind == '$' && sequence.final == 't' && sequence.at(0) == 1) restore_presentation(text);
}

// DECRQSS
void Screen::request_status(std::string_view what) {
  const auto answer = [&](std::string_view value) { reply(fmt::format("\x1bP1$r{}{}\x1b\\", value, what)); };
  if (what == "m") return answer(rendition(pen_));
  if (what == "r") return answer(fmt::format("{};{}", on_->region.top + 1, on_->region.bottom + 1));
  if (what == " q") return answer(std::to_string(cursor_shape_));
  if (what == "\"q") return answer(pen_.has(kProtected) ? "1" : "0");
  if (what == "\"p") return answer("62;1");
  reply("\x1bP0$r\x1b\\");
}

// XTGETTCAP: names and values in hexadecimal.
void Screen::request_capabilities(std::string_view names) {
  size_t asked = 0;
  for (const std::string_view name : base::split(names, ';')) {
    if (++asked > kMostCapabilities) return;
    const auto* const found = std::ranges::find_if(kCapabilities, [&](const Capability& capability) {
      const std::string hex = to_hex(capability.name);
      return std::ranges::equal(hex, name,
                                [](char a, char b) { return a == (b >= 'A' && b <= 'F' ? b + 32 : b); });
    });
    if (found == std::end(kCapabilities))
      reply("\x1bP0+r\x1b\\");
    else
      reply(fmt::format("\x1bP1+r{}={}\x1b\\", to_hex(found->name), to_hex(found->value)));
  }
}

// DECRSPS of a cursor report, as far as nothing else says it: where the cursor is on the whole screen, and
// whether a wrap is pending. The snapshot needs it for places that no cursor movement reaches.
void Screen::restore_presentation(std::string_view text) {
  const std::vector<std::string_view> parts = base::split(text, ';');
  if (parts.size() < 6 || parts[5].size() != 1) return;
  const auto y = base::parse_number<int>(parts[0], 1, size_.rows);
  const auto x = base::parse_number<int>(parts[1], 1, size_.columns);
  if (!y || !x) return;
  constexpr char kWrapPending = 0x08;
  behind_text_ = false;
  on_->cursor = {(parts[5][0] & kWrapPending) != 0 ? size_.columns : *x - 1, *y - 1};
}

}  // namespace vt
