// SPDX-License-Identifier: Apache-2.0
// A text as a QR code (ISO/IEC 18004): bytes, error correction L, versions 1 to 6, which hold 134 bytes. For
// links that a phone reads from a terminal; Debian has no library for it that could be linked in.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct QrCode {
  size_t size = 0;            // modules on each side
  std::vector<bool> modules;  // row by row; true is dark

  bool at(size_t row, size_t column) const { return modules[row * size + column]; }
};

// Nothing for a text that is too long. With a mask (0 to 7) that one, else the one that reads best.
std::optional<QrCode> make_qr(std::string_view text, std::optional<int> mask = {});

// For a terminal: two rows in a line, dark on light whatever its colours are.
std::string to_terminal(const QrCode& code);

}  // namespace cli
