// SPDX-License-Identifier: Apache-2.0
// Colours as numbers: what a program has changed with OSC 4, 10, 11 and 12, over what the terminal shows by
// default.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace vt {

struct Rgb {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

constexpr Rgb rgb(uint32_t value) {
  return {static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
}

// What stands for the colours that a program does not set. 256 and up are xterm's usual ones.
struct Theme {
  Rgb foreground = rgb(0xE6E6E6);
  Rgb background = rgb(0x101418);
  Rgb cursor = rgb(0xE6E6E6);
  std::array<Rgb, 16> basic = {rgb(0x1D1F21), rgb(0xCC342B), rgb(0x198844), rgb(0xC39E2B),
                               rgb(0x3971ED), rgb(0xA36AC7), rgb(0x2D95A6), rgb(0xC5C8C6),
                               rgb(0x71767C), rgb(0xF2594B), rgb(0x3DB36A), rgb(0xE5C454),
                               rgb(0x6F9BF5), rgb(0xC48AE6), rgb(0x56BFD0), rgb(0xFFFFFF)};
};

class Palette {
 public:
  static constexpr int kForeground = 256;
  static constexpr int kBackground = 257;
  static constexpr int kCursor = 258;

  explicit Palette(const Theme& theme) : theme_(theme) {}

  Rgb color(int index) const;
  void set(int index, Rgb color) { changed_[index] = color; }
  void reset(int index) { changed_.erase(index); }
  void reset_indexed();
  void reset_all() { changed_.clear(); }
  const std::map<int, Rgb>& changed() const { return changed_; }

 private:
  Theme theme_;
  std::map<int, Rgb> changed_;  // at most 259
};

// rgb:h/h/h to rgb:hhhh/hhhh/hhhh and #rgb to #rrrrggggbbbb, as XParseColor reads them.
std::optional<Rgb> parse_color(std::string_view text);
// rgb:rrrr/gggg/bbbb, as xterm answers.
std::string color_spec(Rgb color);
// #rrggbb
std::string color_code(Rgb color);

}  // namespace vt
