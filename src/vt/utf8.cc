// SPDX-License-Identifier: Apache-2.0
#include "vt/utf8.h"

namespace vt::utf8 {
namespace {

// What may follow a lead byte: how many bytes, and the range of the first of them, which is where overlong
// forms, surrogates and too large values are told apart.
struct Lead {
  uint8_t more = 0;
  uint8_t least = 0x80;
  uint8_t most = 0xBF;
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

}  // namespace

Decoded decode_multibyte(const char* p, const char* end) {
  const auto first = static_cast<unsigned char>(*p);
  const Lead lead = lead_of(first);
  if (lead.more == 0) return {kReplacement, 1};
  char32_t value = first & (0x3FU >> lead.more);
  for (uint8_t i = 1; i <= lead.more; i++) {
    if (p + i == end) return {0, 0};
    const auto byte = static_cast<unsigned char>(p[i]);
    const bool fits = i == 1 ? byte >= lead.least && byte <= lead.most : (byte & 0xC0) == 0x80;
    if (!fits) return {kReplacement, i};
    value = value << 6 | (byte & 0x3FU);
  }
  return {value, static_cast<uint8_t>(lead.more + 1)};
}

char* encode(char* out, char32_t cp) {
  if (cp < 0x80) {
    *out++ = static_cast<char>(cp);
  } else if (cp < 0x800) {
    *out++ = static_cast<char>(0xC0 | cp >> 6);
    *out++ = static_cast<char>(0x80 | (cp & 0x3F));
  } else if (cp < 0x10000) {
    *out++ = static_cast<char>(0xE0 | cp >> 12);
    *out++ = static_cast<char>(0x80 | (cp >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (cp & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | cp >> 18);
    *out++ = static_cast<char>(0x80 | (cp >> 12 & 0x3F));
    *out++ = static_cast<char>(0x80 | (cp >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (cp & 0x3F));
  }
  return out;
}

void append(std::string& out, char32_t code_point) {
  char bytes[4];
  out.append(bytes, encode(bytes, code_point));
}

std::string clean(std::string_view text, size_t most) {
  std::string out;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    Decoded one = decode(p, end);
    if (one.size == 0) one = {kReplacement, static_cast<uint8_t>(end - p)};
    p += one.size;
    const char32_t cp = one.code_point;
    if (cp < 0x20 || (cp >= 0x7f && cp < 0xA0)) continue;
    char bytes[4];
    char* const stop = encode(bytes, cp);
    if (out.size() + static_cast<size_t>(stop - bytes) > most) break;
    out.append(bytes, stop);
  }
  return out;
}

}  // namespace vt::utf8
