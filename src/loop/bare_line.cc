// SPDX-License-Identifier: Apache-2.0
#include "loop/bare_line.h"

#include <algorithm>
#include <cstddef>

#include "vt/utf8.h"

namespace loop {
namespace {

struct Character {
  char32_t code = 0;
  size_t size = 1;
};

Character first_of(std::string_view text) {
  const auto one = vt::utf8::decode(text.data(), text.data() + text.size());
  return {one.code_point, std::max<size_t>(one.size, 1)};
}

Character last_of(std::string_view text) {
  size_t size = 1;
  const auto inside = [&] { return (static_cast<unsigned char>(text[text.size() - size]) & 0xC0) == 0x80; };
  while (size < 4 && size < text.size() && inside()) size++;
  return {first_of(text.substr(text.size() - size)).code, size};
}

bool is_blank(char32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == 0xA0; }
bool is_bullet(char32_t c) { return c == '-' || c == '*' || c == U'•' || c == U'●' || c == U'⏺'; }
bool is_box(char32_t c) { return c >= 0x2500 && c <= 0x257F; }
bool is_border(char32_t c) { return c == '|' || is_box(c); }

template <typename Wanted>
std::string_view strip_front(std::string_view line, Wanted wanted) {
  while (!line.empty()) {
    const Character c = first_of(line);
    if (!wanted(c.code)) break;
    line.remove_prefix(c.size);
  }
  return line;
}

template <typename Wanted>
std::string_view strip_back(std::string_view line, Wanted wanted) {
  while (!line.empty()) {
    const Character c = last_of(line);
    if (!wanted(c.code)) break;
    line.remove_suffix(c.size);
  }
  return line;
}

}  // namespace

std::string_view bare_line(std::string_view line) {
  line = strip_front(line, [](char32_t c) { return is_blank(c) || is_border(c) || is_bullet(c); });
  return strip_back(line, [](char32_t c) { return is_blank(c) || is_border(c); });
}

std::string_view without_box(std::string_view line) {
  line = strip_back(line, [](char32_t c) { return is_blank(c) || is_box(c); });
  const std::string_view text = strip_front(line, is_blank);
  return !text.empty() && is_box(first_of(text).code) ? strip_front(text, is_box) : line;
}

}  // namespace loop
