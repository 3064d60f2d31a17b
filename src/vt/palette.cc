// SPDX-License-Identifier: Apache-2.0
#include "vt/palette.h"

#include <fmt/format.h>

namespace vt {
namespace {

std::optional<unsigned> hex(std::string_view digits) {
  unsigned value = 0;
  for (const char c : digits) {
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<unsigned>(c - '0');
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
      value = value * 16 + static_cast<unsigned>((c | 0x20) - 'a' + 10);
    else
      return {};
  }
  return value;
}

// rgb: scales what it is given to the whole range, # takes it for the upper bits.
enum class Scale : uint8_t { whole_range, upper_bits };

std::optional<uint8_t> part(std::string_view digits, Scale scale) {
  if (digits.empty() || digits.size() > 4) return {};
  const auto value = hex(digits);
  if (!value) return {};
  const unsigned bits = 4 * static_cast<unsigned>(digits.size());
  if (scale == Scale::upper_bits)
    return static_cast<uint8_t>(bits < 8 ? *value << (8 - bits) : *value >> (bits - 8));
  return static_cast<uint8_t>((*value * 255 + (1U << bits) / 2 - 1) / ((1U << bits) - 1));
}

std::optional<Rgb> parts(std::string_view red, std::string_view green, std::string_view blue, Scale scale) {
  const auto r = part(red, scale);
  const auto g = part(green, scale);
  const auto b = part(blue, scale);
  if (!r || !g || !b) return {};
  return Rgb{*r, *g, *b};
}

uint8_t cube(int level) { return static_cast<uint8_t>(level == 0 ? 0 : 55 + 40 * level); }

}  // namespace

Rgb Palette::color(int index) const {
  if (const auto found = changed_.find(index); found != changed_.end()) return found->second;
  if (index == kForeground) return theme_.foreground;
  if (index == kBackground) return theme_.background;
  if (index == kCursor) return theme_.cursor;
  if (index < 16) return theme_.basic[static_cast<size_t>(index)];
  if (index < 232) return {cube((index - 16) / 36), cube((index - 16) / 6 % 6), cube((index - 16) % 6)};
  const auto grey = static_cast<uint8_t>(8 + 10 * (index - 232));
  return {grey, grey, grey};
}

void Palette::reset_indexed() {
  std::erase_if(changed_, [](const auto& entry) { return entry.first < kForeground; });
}

std::optional<Rgb> parse_color(std::string_view text) {
  if (text.starts_with("rgb:")) {
    text.remove_prefix(4);
    const size_t first = text.find('/');
    if (first == std::string_view::npos) return {};
    const size_t second = text.find('/', first + 1);
    if (second == std::string_view::npos) return {};
    return parts(text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1),
                 Scale::whole_range);
  }
  if (!text.starts_with('#') || text.size() % 3 != 1) return {};
  const size_t size = (text.size() - 1) / 3;
  return parts(text.substr(1, size), text.substr(1 + size, size), text.substr(1 + 2 * size),
               Scale::upper_bits);
}

std::string color_spec(Rgb c) {
  return fmt::format("rgb:{0:02x}{0:02x}/{1:02x}{1:02x}/{2:02x}{2:02x}", c.red, c.green, c.blue);
}

std::string color_code(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

}  // namespace vt
