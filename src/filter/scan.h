// SPDX-License-Identifier: Apache-2.0
// Long texts, sixteen bytes at a time.
#pragma once
#include <cstddef>
#include <string_view>

namespace filter {

// How many bytes there are before the first control byte (below 0x20, or 0x7f).
size_t printable_run(std::string_view text);

// Characters of UTF-8: bytes that continue one do not count.
size_t count_characters(std::string_view text);

}  // namespace filter
