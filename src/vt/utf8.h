// SPDX-License-Identifier: Apache-2.0
// UTF-8, strict: no overlong forms, no surrogates, nothing above U+10FFFF. What is invalid becomes one U+FFFD
// per maximal subpart (Unicode 15, 3.9), which is what browsers and most terminals do.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vt::utf8 {

constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code_point = 0;
  uint8_t size = 0;  // bytes used; 0 when the bytes end in the middle of a character that may still come
};

// For a lead byte of 0x80 and above.
Decoded decode_multibyte(const char* p, const char* end);

inline Decoded decode(const char* p, const char* end) {
  const auto byte = static_cast<unsigned char>(*p);
  if (byte < 0x80) return {byte, 1};
  return decode_multibyte(p, end);
}

// The usual cases of decode_multibyte, with all bytes there, without a call.
inline Decoded decode_fast(const char* p, const char* end) {
  if (end - p < 4) return decode_multibyte(p, end);
  const auto a = static_cast<unsigned char>(p[0]);
  const auto b = static_cast<unsigned char>(p[1]);
  const auto c = static_cast<unsigned char>(p[2]);
  if (a >= 0xE1 && a <= 0xEC && (b & 0xC0) == 0x80 && (c & 0xC0) == 0x80)
    return {static_cast<char32_t>((a & 0x0F) << 12 | (b & 0x3F) << 6 | (c & 0x3F)), 3};
  if (a >= 0xC2 && a <= 0xDF && (b & 0xC0) == 0x80)
    return {static_cast<char32_t>((a & 0x1F) << 6 | (b & 0x3F)), 2};
  const auto d = static_cast<unsigned char>(p[3]);
  if (a == 0xF0 && b >= 0x90 && b <= 0xBF && (c & 0xC0) == 0x80 && (d & 0xC0) == 0x80)
    return {static_cast<char32_t>((b & 0x3F) << 12 | (c & 0x3F) << 6 | (d & 0x3F)), 4};
  return decode_multibyte(p, end);
}

// Writes 1 to 4 bytes and gives the end.
char* encode(char* out, char32_t code_point);
void append(std::string& out, char32_t code_point);

// Valid UTF-8 without C0, DEL and C1, cut before the character that would pass `most` bytes: text from
// outside made fit to be kept and sent on.
std::string clean(std::string_view text, size_t most);

}  // namespace vt::utf8
