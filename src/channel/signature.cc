// SPDX-License-Identifier: Apache-2.0
#include "channel/signature.h"

#include <array>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace channel {

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data(), &size);
  std::string hex;
  for (unsigned i = 0; i < size; i++) hex += fmt::format("{:02x}", hash[i]);
  return hex;
}

bool is_same(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string event_signature(std::string_view key, int64_t time, std::string_view body) {
  return hmac_sha256(key, fmt::format("{}.{}", time, body));
}

std::string ticket_signature(std::string_view key, const AnswerTicket& ticket) {
  return hmac_sha256(key, fmt::format("answer.{}.{}.{}", ticket.prompt, ticket.nonce, ticket.expires));
}

}  // namespace channel
