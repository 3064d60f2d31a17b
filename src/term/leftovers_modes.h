// SPDX-License-Identifier: Apache-2.0
// The flags of Leftovers, one bit each, and how modes name them. Only the two sources of Leftovers use this.
#pragma once
#include <array>
#include <cstdint>

namespace term::modes {

constexpr uint64_t bit(unsigned n) { return uint64_t{1} << n; }

// DEC private modes, CSI ? n h and l.
constexpr uint64_t kAlternate47 = bit(0);
constexpr uint64_t kAlternate1047 = bit(1);
constexpr uint64_t kAlternate1049 = bit(2);
constexpr uint64_t kPaste = bit(3);
constexpr uint64_t kFocus = bit(4);
constexpr uint64_t kMouse9 = bit(5);
constexpr uint64_t kMouse1000 = bit(6);
constexpr uint64_t kMouse1002 = bit(7);
constexpr uint64_t kMouse1003 = bit(8);
constexpr uint64_t kMouse1005 = bit(9);
constexpr uint64_t kMouse1006 = bit(10);
constexpr uint64_t kMouse1015 = bit(11);
constexpr uint64_t kMouse1016 = bit(12);
constexpr uint64_t kCursorHidden = bit(13);
constexpr uint64_t kCursorKeys = bit(14);
constexpr uint64_t kKeypad = bit(15);
constexpr uint64_t kNoAutowrap = bit(16);
constexpr uint64_t kOrigin = bit(17);
constexpr uint64_t kMargins = bit(18);
constexpr uint64_t kReverse = bit(19);
constexpr uint64_t kSynchronized = bit(20);
constexpr uint64_t kColourScheme = bit(21);
constexpr uint64_t kResizeReports = bit(22);
// ANSI modes, CSI n h and l.
constexpr uint64_t kInsert = bit(23);
constexpr uint64_t kNewline = bit(24);
// Everything else.
constexpr uint64_t kCursorShape = bit(25);
constexpr uint64_t kOtherKeys = bit(26);
constexpr uint64_t kScrollRegion = bit(27);
constexpr uint64_t kCharset = bit(28);
constexpr uint64_t kShift = bit(29);
constexpr uint64_t kAttributes = bit(30);
constexpr uint64_t kHyperlink = bit(31);
constexpr uint64_t kPalette = bit(32);
constexpr unsigned kFirstColour = 33;  // OSC 10 to 19 from here on
constexpr uint64_t colour(unsigned osc) { return bit(kFirstColour + osc - 10); }

constexpr uint64_t kAlternate = kAlternate47 | kAlternate1047 | kAlternate1049;
// On by nature: it is the reset, CSI ? n l, that is left over.
constexpr uint64_t kInverse = kCursorHidden | kNoAutowrap;
// What DECSC keeps beside the position and DECRC brings back.
constexpr uint64_t kCursorState = kAttributes | kCharset | kShift | kOrigin;
// What DECSTR resets in every terminal that knows it. The others disagree about the rest.
constexpr uint64_t kSoftReset = kCursorHidden | kInsert | kOrigin | kCursorKeys | kKeypad | kScrollRegion |
                                kAttributes | kCharset | kShift;

struct Mode {
  uint16_t number;
  uint64_t bit;
};

inline constexpr std::array kPrivate = {
    Mode{1, kCursorKeys},      Mode{5, kReverse},          Mode{6, kOrigin},           Mode{7, kNoAutowrap},
    Mode{9, kMouse9},          Mode{25, kCursorHidden},    Mode{47, kAlternate47},     Mode{66, kKeypad},
    Mode{69, kMargins},        Mode{1000, kMouse1000},     Mode{1002, kMouse1002},     Mode{1003, kMouse1003},
    Mode{1004, kFocus},        Mode{1005, kMouse1005},     Mode{1006, kMouse1006},     Mode{1015, kMouse1015},
    Mode{1016, kMouse1016},    Mode{1047, kAlternate1047}, Mode{1049, kAlternate1049}, Mode{2004, kPaste},
    Mode{2026, kSynchronized}, Mode{2031, kColourScheme},  Mode{2048, kResizeReports},
};
inline constexpr std::array kAnsi = {Mode{4, kInsert}, Mode{20, kNewline}};

// A keyboard stack of the kitty protocol in one word: the flags below the first push (CSI = u), how many
// pushes, and the newest eight of their flags, top first.
struct Keyboard {
  static constexpr unsigned kKept = 8;
  static constexpr unsigned kMostDepth = 255;

  explicit Keyboard(uint64_t word)
      : base(static_cast<unsigned>(word & 31)),
        depth(static_cast<unsigned>(word >> 5 & 255)),
        levels(word >> 13) {}
  uint64_t word() const { return base | uint64_t{depth} << 5 | levels << 13; }

  void push(unsigned flags);
  void pop(unsigned count);
  void change(unsigned flags, unsigned how);
  unsigned level(unsigned below_top) const { return static_cast<unsigned>(levels >> (5 * below_top) & 31); }

  unsigned base;
  unsigned depth;
  uint64_t levels;
};

}  // namespace term::modes
