// SPDX-License-Identifier: Apache-2.0
#include "web/secrets.h"

#include <charconv>
#include <cstdlib>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/random.h>

namespace web {

std::string new_secret() {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<unsigned char, 33> random{};
  // Up to 256 bytes come whole, once the kernel has been up for a moment. Without them there is no security.
  if (::getrandom(random.data(), 32, 0) != 32) std::abort();
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const unsigned char byte : random) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 6; count -= 6) text += kLetters[bits >> (count - 6) & 63];
  }
  text.resize(43);
  return text;
}

Digest digest_of(std::string_view text) {
  Digest digest{};
  ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

bool same(const Digest& one, const Digest& other) {
  return ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string to_hex(const Digest& digest) {
  return to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::optional<Digest> digest_from_hex(std::string_view text) {
  Digest digest{};
  if (text.size() != digest.size() * 2) return {};
  for (size_t i = 0; i < digest.size(); i++) {
    const char* at = text.data() + 2 * i;
    const auto [end, wrong] = std::from_chars(at, at + 2, digest[i], 16);
    if (wrong != std::errc() || end != at + 2) return {};
  }
  return digest;
}

}  // namespace web
