// SPDX-License-Identifier: Apache-2.0
// Secrets that are shown once and kept as digests.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace web {

using Digest = std::array<unsigned char, 32>;

// 256 random bits as 43 letters, digits, '-' and '_'.
std::string new_secret();

Digest digest_of(std::string_view text);

// Takes as long whether they differ early or late.
bool same(const Digest& one, const Digest& other);

std::string to_hex(std::string_view bytes);
std::string to_hex(const Digest& digest);
std::optional<Digest> digest_from_hex(std::string_view text);

}  // namespace web
