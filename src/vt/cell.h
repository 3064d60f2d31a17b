// SPDX-License-Identifier: Apache-2.0
// Cell: one column of the screen in eight bytes. Its text is a code point or the number of a cluster; a
// character of two columns has its text in the left cell and a tail in the right one, and neither ever stands
// without the other. Text 0 is a cell that was never written or was erased, which is not the same as a space:
// it ends a line of text. A blank carries no style but a background colour.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "vt/char_class.h"

namespace vt {

struct Cell {
  static constexpr uint32_t kCluster = 1U << 31;
  static constexpr uint32_t kWide = 1U << 30;
  static constexpr uint32_t kTail = 1U << 29;
  static constexpr uint32_t kValue = (1U << 29) - 1;

  uint32_t text = 0;
  uint32_t style = 0;

  bool blank() const { return text == 0; }
  bool wide() const { return (text & kWide) != 0; }
  bool tail() const { return text == kTail; }
  bool cluster() const { return (text & kCluster) != 0; }
  uint32_t value() const { return text & kValue; }
  friend bool operator==(const Cell&, const Cell&) = default;
};

// Writes ASCII as cells of one style. Words are short and of any length, so this avoids a branch per
// character: four at a time, the last four over those before where they overlap.
inline void store_ascii(Cell* out, const char* p, size_t size, uint32_t style) {
  const auto one = [&](size_t i) { out[i] = {static_cast<unsigned char>(p[i]), style}; };
#ifdef __SSE2__
  const auto four = [&](size_t i) {
    int bytes = 0;
    std::memcpy(&bytes, p + i, sizeof bytes);
    const __m128i zero = _mm_setzero_si128();
    const __m128i wide = _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), zero), zero);
    const __m128i styles = _mm_set1_epi32(static_cast<int>(style));
    auto* const to = reinterpret_cast<__m128i*>(out + i);
    _mm_storeu_si128(to, _mm_unpacklo_epi32(wide, styles));
    _mm_storeu_si128(to + 1, _mm_unpackhi_epi32(wide, styles));
  };
  if (size >= 4) {
    for (size_t i = 0; i + 4 < size; i += 4) four(i);
    four(size - 4);
    return;
  }
#endif
  for (size_t i = 0; i < size; i++) one(i);
}

// The same for up to eight characters, without a branch on how many: where a word ends is what a processor
// guesses wrong. Eight are written, and the cells behind them put back. So `p` has eight bytes to read, and
// there are eight cells more than `size`.
inline void store_word(Cell* out, const char* p, size_t size, uint32_t style) {
#ifdef __SSE2__
  auto* const to = reinterpret_cast<__m128i*>(out);
  auto* const behind = reinterpret_cast<__m128i*>(out + size);
  const __m128i a = _mm_loadu_si128(behind);
  const __m128i b = _mm_loadu_si128(behind + 1);
  const __m128i c = _mm_loadu_si128(behind + 2);
  const __m128i d = _mm_loadu_si128(behind + 3);
  const __m128i zero = _mm_setzero_si128();
  const __m128i styles = _mm_set1_epi32(static_cast<int>(style));
  const __m128i wide = _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), zero);
  const __m128i low = _mm_unpacklo_epi16(wide, zero);
  const __m128i high = _mm_unpackhi_epi16(wide, zero);
  _mm_storeu_si128(to, _mm_unpacklo_epi32(low, styles));
  _mm_storeu_si128(to + 1, _mm_unpackhi_epi32(low, styles));
  _mm_storeu_si128(to + 2, _mm_unpacklo_epi32(high, styles));
  _mm_storeu_si128(to + 3, _mm_unpackhi_epi32(high, styles));
  _mm_storeu_si128(behind, a);
  _mm_storeu_si128(behind + 1, b);
  _mm_storeu_si128(behind + 2, c);
  _mm_storeu_si128(behind + 3, d);
#else
  store_ascii(out, p, size, style);
#endif
}

}  // namespace vt
