// SPDX-License-Identifier: Apache-2.0
// Inputs like those of a flood: plain text, text full of escape sequences, East Asian text, a server's log.
// The same in every run.
#pragma once
#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <string>
#include <string_view>

#include "vt/utf8.h"

namespace bench {

inline constexpr std::string_view kWords[] = {"the",     "quick",   "brown",    "fox",     "jumps",  "over",
                                              "lazy",    "dog",     "error",    "warning", "info",   "build",
                                              "compile", "link",    "test",     "passed",  "failed", "module",
                                              "server",  "request", "response", "200",     "404",    "ms"};

class Inputs {
 public:
  std::string plain() {
    std::string line;
    const size_t length = between(40, 76);
    while (line.size() < length) (line += kWords[between(0, std::size(kWords) - 1)]) += ' ';
    line.pop_back();
    return line.substr(0, 78);
  }

  std::string ansi() {
    std::string out;
    const std::string line = plain();
    for (size_t at = 0; at < line.size();) {
      const size_t end = std::min(line.find(' ', at), line.size());
      word(out, std::string_view(line).substr(at, end - at));
      at = end + 1;
    }
    return out;
  }

  std::string wide() {
    std::string out;
    for (size_t n = between(20, 38); n > 0; n--) {
      const size_t kind = between(0, 99);
      if (kind < 75)
        vt::utf8::append(out, static_cast<char32_t>(between(0x4E00, 0x9FA5)));
      else if (kind < 85)
        vt::utf8::append(out, static_cast<char32_t>(between(0x3041, 0x3096)));
      else if (kind < 90)
        vt::utf8::append(out, U"😀🚀✅🔥"[between(0, 3)]);
      else
        vt::utf8::append(out, U"abc é"[between(0, 4)]);
    }
    return out;
  }

  // As a server writes them.
  std::string log() {
    return fmt::format("2026-11-{:02} {:02}:{:02}:{:02}.{:03} INFO  [worker-{}] ", between(1, 30),
                       between(0, 23), between(0, 59), between(0, 59), between(0, 999), between(1, 16)) +
           plain().substr(0, between(20, 78));
  }

  template <typename Line>
  std::string bytes(size_t size, Line line) {
    std::string block;
    while (block.size() < std::min<size_t>(size, 3'000'000)) (block += line()) += "\r\n";
    std::string out;
    while (out.size() < size) out += block;
    return out;
  }

 private:
  size_t between(size_t least, size_t most) { return least + random_() % (most - least + 1); }

  void word(std::string& out, std::string_view word) {
    const size_t kind = between(0, 99);
    if (kind < 35)
      out += fmt::format("\x1b[{};{}m{}\x1b[0m ", "147"[between(0, 2)], between(30, 37), word);
    else if (kind < 55)
      out += fmt::format("\x1b[38;5;{}m{}\x1b[39m ", between(0, 255), word);
    else if (kind < 70)
      out += fmt::format("\x1b[38;2;{};{};{}m{} ", between(0, 255), between(0, 255), between(0, 255), word);
    else if (kind < 80)
      out += fmt::format("\x1b[{};{}H{}", between(1, 24), between(1, 60), word);
    else if (kind < 85)
      out += fmt::format("\x1b[K\x1b[{}C{}", between(1, 5), word);
    else
      out += fmt::format("{} ", word);
  }

  std::mt19937 random_{42};
};

}  // namespace bench
