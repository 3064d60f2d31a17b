// SPDX-License-Identifier: Apache-2.0
// Signatures of the webhook: HMAC-SHA256 with the user's key, as 64 hex digits. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace channel {

std::string hmac_sha256(std::string_view key, std::string_view text);

// Takes as long for what is wrong at its beginning as at its end.
bool is_same(std::string_view one, std::string_view other);

// Of a posted event: over "TIME.BODY", with the time in seconds since the epoch.
std::string event_signature(std::string_view key, int64_t time, std::string_view body);

// Of an answer's URL: it is good for one prompt, as it was asked, until that expires (seconds since the
// epoch).
struct AnswerTicket {
  std::string prompt;
  std::string nonce;
  int64_t expires = 0;
};
std::string ticket_signature(std::string_view key, const AnswerTicket& ticket);

}  // namespace channel
