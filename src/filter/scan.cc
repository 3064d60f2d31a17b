// SPDX-License-Identifier: Apache-2.0
#include "filter/scan.h"

#include <algorithm>
#include <bit>
#include <emmintrin.h>

namespace filter {
namespace {

constexpr size_t kWide = sizeof(__m128i);

__m128i load(std::string_view text, size_t at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

size_t printable_run(std::string_view text) {
  const __m128i highest_control = _mm_set1_epi8(0x1f);
  const __m128i del = _mm_set1_epi8(0x7f);
  size_t at = 0;
  for (; at + kWide <= text.size(); at += kWide) {
    const __m128i bytes = load(text, at);
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, highest_control), bytes);
    const int controls = _mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(bytes, del)));
    if (controls != 0) return at + static_cast<size_t>(std::countr_zero(static_cast<unsigned>(controls)));
  }
  while (at < text.size() && !is_control(text[at])) at++;
  return at;
}

size_t count_characters(std::string_view text) {
  const __m128i last_continuation = _mm_set1_epi8(static_cast<char>(0xbf));
  size_t count = 0;
  size_t at = 0;
  for (; at + kWide <= text.size(); at += kWide) {
    // As signed numbers, continuation bytes are the smallest.
    const int leads = _mm_movemask_epi8(_mm_cmpgt_epi8(load(text, at), last_continuation));
    count += static_cast<size_t>(std::popcount(static_cast<unsigned>(leads)));
  }
  return count + static_cast<size_t>(std::count_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                                   [](char c) { return !continues_character(c); }));
}

}  // namespace filter
