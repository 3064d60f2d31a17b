// SPDX-License-Identifier: Apache-2.0
// Finding the end of a piece of text, sixteen bytes at a time where the machine can. Everything that floods a
// terminal goes through here first, and so do the contents of strings that are skipped.
#pragma once
#include <cstddef>
#include <cstdint>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace vt {

struct TextRun {
  size_t size = 0;
  bool ascii = true;   // no byte of it has its high bit set
  bool brief = false;  // shorter than 16 bytes, of which all can be read
};

constexpr unsigned char kEscape = 0x1b;
constexpr unsigned char kDelete = 0x7f;

constexpr bool is_control(unsigned char byte) { return byte < 0x20 || byte == kDelete; }

// How many bytes from `p` stand before the first C0 control or DEL.
inline TextRun scan_text(const char* p, const char* end) {
  const char* const begin = p;
  int high = 0;
#ifdef __SSE2__
  const __m128i last_control = _mm_set1_epi8(0x1f);
  const __m128i del = _mm_set1_epi8(0x7f);
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control),
                                      _mm_cmpeq_epi8(bytes, del));
    const int stops = _mm_movemask_epi8(stop);
    const int highs = _mm_movemask_epi8(bytes);
    if (stops != 0) {
      const int at = __builtin_ctz(static_cast<unsigned>(stops));
      high |= highs & ((1 << at) - 1);
      return {static_cast<size_t>(p - begin) + static_cast<size_t>(at), high == 0, p == begin};
    }
    high |= highs;
  }
#endif
  for (; p != end && !is_control(static_cast<unsigned char>(*p)); ++p) high |= *p & 0x80;
  return {static_cast<size_t>(p - begin), high == 0};
}

constexpr std::ptrdiff_t kWindow = 32;  // bytes of a control sequence that are read at once

// Of a control sequence: digits, colons and semicolons.
constexpr bool is_parameter(unsigned char byte) { return byte >= 0x30 && byte <= 0x3b; }

// How many of the next 16 bytes are parameters.
inline unsigned parameter_bytes(const char* p) {
#ifdef __SSE2__
  const __m128i bytes =
      _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), _mm_set1_epi8('0'));
  const __m128i parameters = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(';' ^ '0')), bytes);
  return static_cast<unsigned>(__builtin_ctz(~static_cast<uint32_t>(_mm_movemask_epi8(parameters))));
#else
  unsigned size = 0;
  while (size < 16 && is_parameter(static_cast<unsigned char>(p[size]))) size++;
  return size;
#endif
}

}  // namespace vt
