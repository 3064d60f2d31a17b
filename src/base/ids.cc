// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

namespace base {
namespace {

constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr size_t kLength = 16;
constexpr size_t kRandomBytes = kLength * 5 / 8;

}  // namespace

std::string new_id() {
  uint8_t random[kRandomBytes];
  // Up to 256 bytes come whole or not at all, and only a kernel without the call gives none.
  if (::getrandom(random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) std::abort();
  std::string id;
  id.reserve(kLength);
  unsigned bits = 0;
  unsigned held = 0;
  for (const uint8_t byte : random) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 5; held -= 5) id += kAlphabet[bits >> (held - 5) & 31];
  }
  return id;
}

bool is_id(std::string_view text) {
  return text.size() == kLength && text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

}  // namespace base
