// SPDX-License-Identifier: Apache-2.0
// What an SGR does to the pen, whatever the pen is: bits it keeps and bits it sets. So a sequence of codes is
// one change, and a change that was worked out once can be used again. PenChanges remembers those of the last
// sequences by their bytes: programs say the same few again and again, and to recognise one takes a fraction
// of the time of reading it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vt/style.h"

namespace vt {

struct PenChange {
  uint64_t keep_colors = ~uint64_t{0};
  uint64_t keep_looks = ~uint64_t{0};
  uint64_t colors = 0;
  uint64_t looks = 0;

  // This, and after it the other.
  constexpr void add(const PenChange& other) {
    keep_colors &= other.keep_colors;
    keep_looks &= other.keep_looks;
    colors = (colors & other.keep_colors) | other.colors;
    looks = (looks & other.keep_looks) | other.looks;
  }
  void apply(Style& pen) const {
    pen.set_words((pen.colors() & keep_colors) | colors, (pen.looks() & keep_looks) | looks);
  }
};

constexpr PenChange kPenReset{.keep_colors = 0, .keep_looks = 0};  // SGR 0; links are not its business

// The parameters of a control sequence as they were sent, with zeros behind them.
struct Spelling {
  static constexpr size_t kMost = 15;

  uint64_t first = 0;
  uint64_t second = 0;

  Spelling() = default;
  // Reads kMost + 1 bytes from p, whatever the size.
  Spelling(const char* p, size_t size) {
    static constexpr auto kMasks = [] {
      std::array<unsigned char, 2 * (kMost + 1)> bytes{};
      for (size_t i = 0; i <= kMost; i++) bytes[i] = 0xFF;
      return bytes;
    }();
    const unsigned char* const mask = kMasks.data() + (kMost + 1 - size);
    first = word(p) & word(mask);
    second = word(p + sizeof first) & word(mask + sizeof first);
  }
  bool empty() const { return first == 0; }
  friend bool operator==(const Spelling& a, const Spelling& b) {
    return ((a.first ^ b.first) | (a.second ^ b.second)) == 0;
  }

 private:
  static uint64_t word(const void* p) {
    uint64_t value = 0;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
};

class PenChanges {
 public:
  struct Known {
    PenChange change = kPenReset;  // which is what no parameters mean
    uint32_t style = 0;            // the number of the pen it made last, which is a good guess for the next
  };

  // Good until the next put(); nothing if it is not known.
  Known* find(const Spelling& spelling) {
    Entry& entry = entries_[index(spelling)];
    return entry.spelling == spelling ? &entry.known : nullptr;
  }
  void put(const Spelling& spelling, const PenChange& change) {
    entries_[index(spelling)] = {spelling, {change}};
  }

 private:
  struct Entry {
    Spelling spelling;
    Known known;
  };
  static constexpr unsigned kBits = 9;

  static size_t index(const Spelling& spelling) {
    // Of many factors this one keeps the 256 colours and the usual codes apart best.
    return (spelling.first ^ spelling.second << 5) * 0x7F61F43270CF4021 >> (64 - kBits);
  }

  std::array<Entry, size_t{1} << kBits> entries_{};
};

}  // namespace vt
