// SPDX-License-Identifier: Apache-2.0
#include "cli/qr.h"

#include <array>
#include <cstdint>
#include <cstdlib>

namespace cli {
namespace {

using Bytes = std::vector<uint8_t>;

struct Version {
  size_t data;    // bytes, in all blocks
  size_t blocks;  // of equal length
  size_t check;   // bytes for each block
};
constexpr std::array<Version, 6> kVersions = {
    {{19, 1, 7}, {34, 1, 10}, {55, 1, 15}, {80, 1, 20}, {108, 1, 26}, {136, 2, 18}}};

uint8_t multiply(uint8_t a, uint8_t b) {
  unsigned product = 0;
  for (int bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= (static_cast<unsigned>(b) >> bit & 1) * a;
  }
  return static_cast<uint8_t>(product);
}

// The remainder by the polynomial whose roots are the first powers of 2.
Bytes check_bytes(const Bytes& data, size_t count) {
  Bytes divisor(count);
  divisor.back() = 1;
  uint8_t root = 1;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      divisor[j] = multiply(divisor[j], root);
      if (j + 1 < count) divisor[j] ^= divisor[j + 1];
    }
    root = multiply(root, 2);
  }
  Bytes rest(count);
  for (const uint8_t byte : data) {
    const uint8_t factor = byte ^ rest.front();
    rest.erase(rest.begin());
    rest.push_back(0);
    for (size_t i = 0; i < count; i++) rest[i] ^= multiply(divisor[i], factor);
  }
  return rest;
}

Bytes data_bytes(std::string_view text, size_t size) {
  Bytes data;
  uint8_t carried = 0x4;  // the mode "bytes", then the length
  const auto add = [&](uint8_t byte) {
    data.push_back(static_cast<uint8_t>(carried << 4 | byte >> 4));
    carried = byte & 15;
  };
  add(static_cast<uint8_t>(text.size()));
  for (const char c : text) add(static_cast<uint8_t>(c));
  add(0);
  for (uint8_t pad = 0xec; data.size() < size; pad ^= 0xec ^ 0x11) data.push_back(pad);
  data.resize(size);
  return data;
}

// Blocks are written byte by byte in turns, their check bytes behind them.
Bytes all_bytes(const Bytes& data, const Version& version) {
  const size_t length = version.data / version.blocks;
  std::vector<Bytes> blocks;
  std::vector<Bytes> checks;
  for (size_t i = 0; i < version.blocks; i++) {
    const auto begin = data.begin() + static_cast<std::ptrdiff_t>(i * length);
    blocks.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
    checks.push_back(check_bytes(blocks.back(), version.check));
  }
  Bytes all;
  for (size_t at = 0; at < length; at++)
    for (const Bytes& each : blocks) all.push_back(each[at]);
  for (size_t at = 0; at < version.check; at++)
    for (const Bytes& each : checks) all.push_back(each[at]);
  return all;
}

class Drawing {
 public:
  explicit Drawing(size_t version) : version_(version), code_{17 + 4 * version, {}} {
    code_.modules.resize(code_.size * code_.size);
    taken_.resize(code_.modules.size());
    draw_patterns();
  }

  void draw_data(const Bytes& bytes) {
    size_t bit = 0;
    const auto put = [&](size_t row, size_t column) {
      if (taken_[row * code_.size + column]) return;
      if (bit < bytes.size() * 8)
        code_.modules[row * code_.size + column] = (bytes[bit / 8] >> (7 - bit % 8) & 1) != 0;
      bit++;
    };
    bool up = true;
    // Two columns at a time, from the right; the one with the timing pattern is passed over.
    for (size_t right = code_.size - 1; right < code_.size; right -= right == 8 ? 3 : 2, up = !up) {
      for (size_t i = 0; i < code_.size; i++) {
        const size_t row = up ? code_.size - 1 - i : i;
        put(row, right);
        put(row, right - 1);
      }
      if (right == 1) break;
    }
  }

  QrCode masked(int mask) const {
    QrCode result = code_;
    for (size_t row = 0; row < code_.size; row++)
      for (size_t column = 0; column < code_.size; column++)
        if (!taken_[row * code_.size + column] && flips(mask, row, column))
          result.modules[row * code_.size + column] = !result.modules[row * code_.size + column];
    draw_format(result, mask);
    return result;
  }

 private:
  static bool flips(int mask, size_t y, size_t x) {
    switch (mask) {
      case 0:
        return (x + y) % 2 == 0;
      case 1:
        return y % 2 == 0;
      case 2:
        return x % 3 == 0;
      case 3:
        return (x + y) % 3 == 0;
      case 4:
        return (x / 3 + y / 2) % 2 == 0;
      case 5:
        return x * y % 2 + x * y % 3 == 0;
      case 6:
        return (x * y % 2 + x * y % 3) % 2 == 0;
      default:
        return ((x + y) % 2 + x * y % 3) % 2 == 0;
    }
  }

  void set(size_t row, size_t column, bool dark) {
    code_.modules[row * code_.size + column] = dark;
    taken_[row * code_.size + column] = true;
  }

  // Rings around a point; what lies outside of the code is left out.
  void draw_rings(size_t row, size_t column, int reach, const auto& dark) {
    for (int y = -reach; y <= reach; y++) {
      for (int x = -reach; x <= reach; x++) {
        const size_t r = row + static_cast<size_t>(y);
        const size_t c = column + static_cast<size_t>(x);
        if (r < code_.size && c < code_.size) set(r, c, dark(std::max(std::abs(x), std::abs(y))));
      }
    }
  }

  void draw_patterns() {
    for (size_t i = 0; i < code_.size; i++) {
      set(6, i, i % 2 == 0);
      set(i, 6, i % 2 == 0);
    }
    const auto finder = [](int ring) { return ring != 2 && ring != 4; };
    for (const auto& [row, column] :
         {std::pair<size_t, size_t>{3, 3}, {3, code_.size - 4}, {code_.size - 4, 3}})
      draw_rings(row, column, 4, finder);
    if (version_ > 1) draw_rings(code_.size - 7, code_.size - 7, 2, [](int ring) { return ring != 1; });
    // The places of the format, and the one module that is always dark.
    for (size_t i = 0; i < 9; i++) {
      if (i != 6) set(8, i, false);
      if (i != 6) set(i, 8, false);
      if (i < 8) set(8, code_.size - 1 - i, false);
      if (i < 8) set(code_.size - 1 - i, 8, false);
    }
    set(code_.size - 8, 8, true);
  }

  static void draw_format(QrCode& code, int mask) {
    const unsigned data = 1U << 3 | static_cast<unsigned>(mask);  // L
    unsigned rest = data;
    for (int i = 0; i < 10; i++) rest = rest << 1 ^ (rest >> 9) * 0x537;
    const unsigned bits = (data << 10 | rest) ^ 0x5412;
    const auto put = [&](size_t row, size_t column, unsigned bit) {
      code.modules[row * code.size + column] = (bits >> bit & 1) != 0;
    };
    for (unsigned i = 0; i < 6; i++) put(i, 8, i);
    put(7, 8, 6);
    put(8, 8, 7);
    put(8, 7, 8);
    for (unsigned i = 9; i < 15; i++) put(8, 14 - i, i);
    for (unsigned i = 0; i < 8; i++) put(8, code.size - 1 - i, i);
    for (unsigned i = 8; i < 15; i++) put(code.size - 15 + i, 8, i);
  }

  size_t version_;
  QrCode code_;
  std::vector<bool> taken_;  // not for data
};

// What makes a code hard to read: long runs of one colour, and blocks.
size_t penalty_of(const QrCode& code) {
  size_t penalty = 0;
  const auto runs = [&](const auto& at) {
    for (size_t line = 0; line < code.size; line++) {
      size_t run = 1;
      for (size_t i = 1; i < code.size; i++) {
        run = at(line, i) == at(line, i - 1) ? run + 1 : 1;
        if (run == 5) penalty += 3;
        if (run > 5) penalty++;
      }
    }
  };
  runs([&](size_t line, size_t i) { return code.at(line, i); });
  runs([&](size_t line, size_t i) { return code.at(i, line); });
  for (size_t y = 1; y < code.size; y++) {
    for (size_t x = 1; x < code.size; x++) {
      const bool dark = code.at(y, x);
      if (dark == code.at(y - 1, x) && dark == code.at(y, x - 1) && dark == code.at(y - 1, x - 1))
        penalty += 3;
    }
  }
  return penalty;
}

}  // namespace

std::optional<QrCode> make_qr(std::string_view text, std::optional<int> mask) {
  size_t version = 1;
  while (version <= kVersions.size() && text.size() + 2 > kVersions[version - 1].data) version++;
  if (version > kVersions.size()) return {};
  const Version& layout = kVersions[version - 1];
  Drawing drawing(version);
  drawing.draw_data(all_bytes(data_bytes(text, layout.data), layout));
  if (mask) return drawing.masked(*mask);
  QrCode best = drawing.masked(0);
  for (int each = 1; each < 8; each++) {
    QrCode other = drawing.masked(each);
    if (penalty_of(other) < penalty_of(best)) best = std::move(other);
  }
  return best;
}

std::string to_terminal(const QrCode& code) {
  constexpr size_t kQuiet = 2;
  const size_t side = code.size + 2 * kQuiet;
  const auto dark = [&](size_t row, size_t column) {
    const size_t y = row - kQuiet;
    const size_t x = column - kQuiet;
    return y < code.size && x < code.size && code.at(y, x);
  };
  std::string text;
  for (size_t row = 0; row < side; row += 2) {
    text += "\x1b[30;107m";
    for (size_t column = 0; column < side; column++) {
      const bool top = dark(row, column);
      const bool bottom = row + 1 < side && dark(row + 1, column);
      text += top && bottom ? "█" : top ? "▀" : bottom ? "▄" : " ";
    }
    text += "\x1b[0m\n";
  }
  return text;
}

}  // namespace cli
