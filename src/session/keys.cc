// SPDX-License-Identifier: Apache-2.0
#include "session/keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "base/strings.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;

struct Plain {
  std::string_view name;
  std::string_view bytes;
};
constexpr std::array<Plain, 9> kPlain = {{{"enter", "\r"},
                                          {"return", "\r"},
                                          {"tab", "\t"},
                                          {"escape", "\x1b"},
                                          {"esc", "\x1b"},
                                          {"space", " "},
                                          {"backspace", "\x7f"},
                                          {"bspace", "\x7f"},
                                          {"btab", "\x1b[Z"}}};

// CSI letter, SS3 letter in application mode.
struct Lettered {
  std::string_view name;
  char letter;
};
constexpr std::array<Lettered, 6> kLettered = {
    {{"up", 'A'}, {"down", 'B'}, {"right", 'C'}, {"left", 'D'}, {"home", 'H'}, {"end", 'F'}}};

struct Numbered {
  std::string_view name;
  int number;
};
constexpr std::array<Numbered, 18> kNumbered = {{{"insert", 2},
                                                 {"ic", 2},
                                                 {"delete", 3},
                                                 {"dc", 3},
                                                 {"pageup", 5},
                                                 {"pgup", 5},
                                                 {"ppage", 5},
                                                 {"pagedown", 6},
                                                 {"pgdn", 6},
                                                 {"npage", 6},
                                                 {"f5", 15},
                                                 {"f6", 17},
                                                 {"f7", 18},
                                                 {"f8", 19},
                                                 {"f9", 20},
                                                 {"f10", 21},
                                                 {"f11", 23},
                                                 {"f12", 24}}};
constexpr std::array<Lettered, 4> kFunction = {{{"f1", 'P'}, {"f2", 'Q'}, {"f3", 'R'}, {"f4", 'S'}}};

struct Modifiers {
  bool shift = false;
  bool meta = false;
  bool control = false;
  bool any() const { return shift || meta || control; }
  int number() const { return 1 + (shift ? 1 : 0) + (meta ? 2 : 0) + (control ? 4 : 0); }
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

template <typename Table>
auto find(const Table& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.name == name; });
  return found != table.end() ? &*found : nullptr;
}

// One character, in UTF-8.
bool is_character(std::string_view text) {
  if (text.empty()) return false;
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return text.size() == length;
}

std::string special(std::string_view key, Modifiers modifiers, const vt::Screen& screen) {
  if (const auto* each = find(kLettered, key)) {
    if (modifiers.any()) return fmt::format("\x1b[1;{}{}", modifiers.number(), each->letter);
    return fmt::format("\x1b{}{}", screen.modes()[vt::Mode::cursor_keys] ? 'O' : '[', each->letter);
  }
  if (const auto* each = find(kFunction, key)) {
    if (modifiers.any()) return fmt::format("\x1b[1;{}{}", modifiers.number(), each->letter);
    return fmt::format("\x1bO{}", each->letter);
  }
  if (const auto* each = find(kNumbered, key)) {
    if (modifiers.any()) return fmt::format("\x1b[{};{}~", each->number, modifiers.number());
    return fmt::format("\x1b[{}~", each->number);
  }
  return {};
}

// Ctrl with a character, or nothing where there is no such key.
std::string with_control(char c) {
  const auto upper = static_cast<unsigned char>(std::toupper(static_cast<unsigned char>(c)));
  if (upper == '?') return "\x7f";
  if (upper == ' ') return {'\0'};
  if (upper >= '@' && upper <= '_') return {static_cast<char>(upper & 0x1f)};
  return {};
}

}  // namespace

Result<std::string> key_bytes(std::string_view name, const vt::Screen& screen) {
  std::string_view key = name;
  Modifiers modifiers;
  while (key.size() > 2 && key[1] == '-') {
    const char letter = key[0];
    if (letter == 'C')
      modifiers.control = true;
    else if (letter == 'M')
      modifiers.meta = true;
    else if (letter == 'S')
      modifiers.shift = true;
    else
      break;
    key.remove_prefix(2);
  }
  const std::string word = lower(key);
  std::string bytes = special(word, modifiers, screen);
  if (!bytes.empty()) return bytes;
  if (const auto* each = find(kPlain, word)) {
    bytes = word == "tab" && modifiers.shift ? "\x1b[Z" : std::string(each->bytes);
    if (word == "space" && modifiers.control) bytes = std::string(1, '\0');
  } else if (is_character(key)) {
    bytes = modifiers.control ? with_control(key[0]) : std::string(key);
  }
  if (bytes.empty())
    return fail(
        Code::invalid_param, 0,
        fmt::format(
            "there is no key '{}'; keys are Enter, Tab, Escape, Up, PageDown, F5, C-c, M-x and the like",
            base::printable(name, 40)));
  return modifiers.meta ? "\x1b" + bytes : bytes;
}

}  // namespace session
