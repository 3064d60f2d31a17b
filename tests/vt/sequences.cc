// SPDX-License-Identifier: Apache-2.0
#include "sequences.h"

#include <array>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace vt_test {
namespace {

using namespace std::string_view_literals;

class Grammar {
 public:
  // Not the seed itself: the states of one sequence follow each other, and so would those of neighbouring
  // seeds.
  explicit Grammar(uint64_t seed) : state_(seed) { state_ = next() ^ 0x6A09E667F3BCC908U; }

  Recording recording() {
    const auto [cols, rows] = size();
    Recording result{.name = {}, .cols = cols, .rows = rows, .events = {}};
    cols_ = cols;
    rows_ = rows;
    for (size_t left = 5 + below(60); left > 0; left--) result.events.push_back({.bytes = sequence()});
    return result;
  }

  // SplitMix64: standard distributions differ between libraries, and a seed should not.
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  size_t below(size_t bound) { return next() % bound; }

 private:
  struct Dimensions {
    int cols;
    int rows;
  };

  // Small windows reach their edges sooner. Not with one row: there xterm.js loses a character that grows at
  // the edge.
  Dimensions size() {
    switch (below(4)) {
      case 0:
        return {80, 24};
      case 1:
        return {2 + static_cast<int>(below(6)), 2 + static_cast<int>(below(4))};
      default:
        return {8 + static_cast<int>(below(30)), 3 + static_cast<int>(below(10))};
    }
  }

  template <size_t N>
  std::string pick(const std::array<std::string_view, N>& choices) {
    return std::string(choices[below(N)]);
  }

  // A number where a row or column is expected: often within the window or just beyond it.
  std::string number() {
    switch (below(6)) {
      case 0:
        return "";
      case 1:
        return "0";
      case 2:
        return "999";
      default:
        return fmt::format("{}", 1 + below(static_cast<size_t>(below(2) == 0 ? rows_ : cols_) + 2));
    }
  }

  std::string csi(std::string_view final) { return fmt::format("\033[{}{}", number(), final); }

  std::string sequence() {
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return text();
      case 4:
        return pick<9>({"\r"sv, "\n"sv, "\r\n"sv, "\b"sv, "\t"sv, "\v"sv, "\f"sv, "\a"sv, "\r\n"sv});
      case 5:
      case 6:
        return move();
      case 7:
        return erase();
      case 8:
        return edit();
      case 9:
      case 10:
        return rendition();
      case 11:
        return mode();
      case 12:
        return escape();
      case 13:
        return region();
      case 14:
        return below(2) == 0 ? question() : system();
      default:
        return below(3) == 0 ? broken() : words();
    }
  }

  std::string words() {
    std::string text;
    for (size_t left = 1 + below(static_cast<size_t>(cols_) * 2); left > 0; left--)
      text += below(6) == 0 ? ' ' : static_cast<char>('a' + below(26));
    return text;
  }

  // No mark by itself: vt adds it to the character on its left, xterm.js only if nothing came between.
  std::string text() {
    static constexpr std::array kPieces = {
        "a"sv,
        "Hi"sv,
        " "sv,
        "word "sv,
        "~"sv,
        "é"sv,
        "ß"sv,
        "Ж"sv,
        "─"sv,
        "█"sv,
        "…"sv,
        "€"sv,
        "漢"sv,
        "字"sv,
        "한"sv,
        "あ"sv,
        "ｗ"sv,
        "！"sv,
        "😀"sv,
        "🚀"sv,
        "⌚"sv,
        "e\u0301"sv,
        "o\u0308\u0332"sv,
        "漢\u0301"sv,
        "❤\uFE0F"sv,
        "👍🏽"sv,
        "👩\u200D💻"sv,
        "🇩🇪"sv,
    };
    std::string text;
    for (size_t left = 1 + below(6); left > 0; left--) text += kPieces[below(kPieces.size())];
    return text;
  }

  std::string move() {
    if (below(3) == 0) return fmt::format("\033[{};{}{}", number(), number(), below(4) == 0 ? 'f' : 'H');
    // In origin mode xterm.js adds the region's top to every other movement.
    if (origin_) return csi("d");
    return csi(pick<14>(
        {"A"sv, "B"sv, "C"sv, "D"sv, "E"sv, "F"sv, "G"sv, "H"sv, "d"sv, "e"sv, "a"sv, "`"sv, "I"sv, "Z"sv}));
  }

  // Erasing up to the cursor is left out where xterm.js throws: in the last column.
  std::string erase() {
    if (below(7) == 0 && !origin_) return below(2) == 0 ? "\033[D\033[1J" : "\033[D\033[?1J";
    return "\033[" + pick<12>({"J"sv, "2J"sv, "3J"sv, "K"sv, "1K"sv, "2K"sv, "X"sv, "4X"sv, "?J"sv, "?K"sv,
                               "?2K"sv, "0J"sv});
  }

  // Repeating is left out where xterm.js has forgotten the character (behind any other sequence) and vt stops
  // (behind the width of the window). Columns are inserted and deleted among narrow characters, without a
  // wrap pending: xterm.js cuts wide ones, and starts at the first column otherwise.
  std::string edit() {
    if (below(8) == 0) return fmt::format("{}\033[{}b", text(), 1 + below(static_cast<size_t>(cols_)));
    if (below(6) == 0 && !origin_)
      return fmt::format("\033[2J{}\033[{}G{}", words(), 1 + below(static_cast<size_t>(cols_)),
                         csi(pick<2>({"'}"sv, "'~"sv})));
    return csi(pick<8>({"@"sv, "P"sv, "L"sv, "M"sv, "S"sv, "T"sv, " @"sv, " A"sv}));
  }

  std::string color() {
    switch (below(5)) {
      case 0:
        return fmt::format("{}8;5;{}", below(2) == 0 ? 3 : 4, below(256));
      case 1:
        return fmt::format("{}8;2;{};{};{}", below(2) == 0 ? 3 : 4, below(256), below(256), below(256));
      case 2:
        return fmt::format("{}8:2::{}:{}:{}", 3 + below(3), below(256), below(256), below(256));
      case 3:
        return fmt::format("{}8:5:{}", 3 + below(3), below(256));
      default: {
        static constexpr std::array kBases = {30, 40, 90, 100};
        return fmt::format("{}", static_cast<size_t>(kBases[below(4)]) + below(8));
      }
    }
  }

  std::string rendition() {
    static constexpr std::array kPlain = {""sv,    "0"sv,   "1"sv,   "2"sv,   "3"sv,  "4"sv,  "5"sv,  "7"sv,
                                          "8"sv,   "9"sv,   "21"sv,  "22"sv,  "23"sv, "24"sv, "25"sv, "27"sv,
                                          "28"sv,  "29"sv,  "39"sv,  "49"sv,  "53"sv, "55"sv, "59"sv, "4:0"sv,
                                          "4:1"sv, "4:2"sv, "4:3"sv, "4:4"sv, "4:5"sv};
    std::string result = "\033[";
    for (size_t left = 1 + below(3); left > 0; left--) {
      result += below(2) == 0 ? color() : std::string(kPlain[below(kPlain.size())]);
      result += left > 1 ? ";" : "m";
    }
    return result;
  }

  std::string mode() {
    static constexpr std::array kModes = {"4"sv,     "20"sv,    "?1"sv,    "?25"sv,   "?45"sv,
                                          "?66"sv,   "?1000"sv, "?1002"sv, "?1003"sv, "?1004"sv,
                                          "?1006"sv, "?2004"sv, "?2026"sv, "?9"sv};
    switch (below(12)) {
      case 0:
        origin_ = false;
        return "\033[!p";
      case 1:
        return fmt::format("\033[{} q", below(7));
      case 2:
        return protected_text();
      case 3:
      case 4:
        return other_screen();
      case 6:
        origin_ = !origin_;
        return origin_ ? "\033[?6h" : "\033[?6l";
      case 5:
        // With narrow characters from the first column: of wide ones at the right edge xterm.js leaves
        // halves.
        return "\r\033[?7l" + words() + "\033[?7h";
      default:
        return fmt::format("\033[{}{}", kModes[below(kModes.size())], below(5) < 3 ? 'h' : 'l');
    }
  }

  // Not over wide characters: the halves that are left are protected in xterm.js and blank in vt.
  std::string protected_text() {
    return fmt::format("\r\033[2K\033[1\"q{}\033[{}\"q", words().substr(0, static_cast<size_t>(cols_) - 1),
                       2 * below(2));
  }

  // Leaving the alternate screen restores the cursor, with the origin mode in vt and without it in xterm.js.
  std::string other_screen() {
    alternate_ = !alternate_;
    origin_ = false;
    const std::string number = pick<3>({"47"sv, "1047"sv, "1049"sv});
    if (alternate_) screen_mode_ = number;
    return fmt::format("\033[?6l{}\033[?{}{}", kPlainPen, screen_mode_, alternate_ ? 'h' : 'l');
  }

  // Saving and restoring is left out where xterm.js loses what it saved: underlines, links, and the row if
  // the screen has scrolled since.
  std::string save_and_restore() {
    std::string result = kPlainPen + pick<3>({"\0337"sv, "\033[s"sv, "\033[?1048h"sv});
    for (size_t left = below(4); left > 0; left--) result += below(2) == 0 ? move() : rendition();
    return result + kPlainPen + pick<3>({"\0338"sv, "\033[u"sv, "\033[?1048l"sv});
  }

  // The test pattern comes without underlines and links, which xterm.js drops.
  std::string escape() {
    if (below(6) == 0) return save_and_restore();
    if (below(20) == 0) {
      origin_ = false;
      return "\033[?6l" + kPlainPen + "\033#8";
    }
    if (below(40) == 0) {
      alternate_ = false;
      origin_ = false;
      return "\033[20l\033[?25h\033c";  // xterm.js keeps these two
    }
    return pick<20>({"\033D"sv,   "\033E"sv,  "\033M"sv,  "\033H"sv,          "\033[g"sv,
                     "\033[3g"sv, "\033="sv,  "\033>"sv,  "\033(0"sv,         "\033(B"sv,
                     "\033(A"sv,  "\033)0"sv, "\033*0"sv, "\016"sv,           "\017"sv,
                     "\033n"sv,   "\033M"sv,  "\033[m"sv, "\033(0qx\033(B"sv, "\033[!p"sv});
  }

  std::string region() {
    if (below(3) == 0) return "\033[r";
    return fmt::format("\033[{};{}r", number(), number());
  }

  // The position is asked without origin mode, which xterm.js leaves out of account.
  std::string question() {
    origin_ = false;
    return "\033[?6l\033[" + pick<7>({"5n"sv, "6n"sv, "?6n"sv, "18t"sv, "?1$p"sv, "?7$p"sv, "4$p"sv});
  }

  std::string system() {
    return pick<8>({"\033]0;A title\a"sv, "\033]2;Ein T\u00eftel\033\\"sv, "\033]1;icon\a"sv,
                    "\033]8;;http://one.example/\033\\"sv, "\033]8;id=x;http://two.example/\a"sv,
                    "\033]8;;\a"sv, "\033[22;2t"sv, "\033[23;2t"sv});
  }

  // Sequences that are unknown, cut off, or hold what does not belong into them.
  std::string broken() {
    return pick<13>({"\033[1;\030"sv, "\033[2\032"sv, "\033[3\033[31m"sv, "\033[1\n;31m"sv, "\033[?999h"sv,
                     "\033[<1y"sv, "\033]777;x\a"sv, "\033Punknown\033\\"sv, "\033_app\033\\"sv,
                     "\033^pm\033\\"sv, "\033[1 Q"sv, "\177"sv, "\033[38;5m"sv});
  }

  // Ends underlines, links and other character sets.
  const std::string kPlainPen = "\033[24;59m\033]8;;\033\\\017\033(B\033)B\033*B";

  uint64_t state_;
  bool alternate_ = false;
  bool origin_ = false;
  std::string screen_mode_;
  int cols_ = 80;
  int rows_ = 24;
};

}  // namespace

Recording random_recording(uint64_t seed) {
  Recording recording = Grammar(seed).recording();
  recording.name = fmt::format("seed {}", seed);
  return recording;
}

Recording rechunk(const Recording& recording, uint64_t seed) {
  Grammar random(seed);
  Recording result = recording;
  result.events.clear();
  std::string bytes;
  const auto flush = [&] {
    for (size_t at = 0; at < bytes.size();) {
      const size_t length = random.below(3) == 0 ? 1 : 1 + random.below(40);
      result.events.push_back({.bytes = bytes.substr(at, length)});
      at += length;
    }
    bytes.clear();
  };
  for (const Event& event : recording.events) {
    if (event.kind == Event::Kind::output) {
      bytes += event.bytes;
      continue;
    }
    flush();
    result.events.push_back(event);
  }
  flush();
  return result;
}

}  // namespace vt_test
