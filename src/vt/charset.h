// SPDX-License-Identifier: Apache-2.0
// Character sets of ISO 2022 as far as they still matter: which of G0 to G3 is used for ASCII, and what
// stands in it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace vt {

enum class Charset : uint8_t { ascii, line_drawing, british };

std::optional<Charset> find_charset(char final);
char charset_final(Charset charset);
char32_t translate(Charset charset, char ascii);

struct Charsets {
  std::array<Charset, 4> sets{};
  uint8_t locked = 0;  // SI, SO, LS2, LS3
  uint8_t single = 0;  // 2 or 3 for the next character only, else 0

  bool plain() const { return single == 0 && sets[locked] == Charset::ascii; }
  friend bool operator==(const Charsets&, const Charsets&) = default;
};

}  // namespace vt
