// SPDX-License-Identifier: Apache-2.0
#include "wire/encoding.h"

#include <boost/beast/core/detail/base64.hpp>

#include "vt/utf8.h"

namespace wire {

namespace base64 = boost::beast::detail::base64;

Utf8Piece to_utf8(std::string_view bytes, Rest rest) {
  Utf8Piece piece;
  piece.text.reserve(bytes.size());
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p < end) {
    const vt::utf8::Decoded next = vt::utf8::decode(p, end);
    if (next.size == 0) {
      if (rest == Rest::may_come) break;
      vt::utf8::append(piece.text, vt::utf8::kReplacement);
      p = end;
      break;
    }
    vt::utf8::append(piece.text, next.code_point);
    p += next.size;
  }
  piece.consumed = static_cast<size_t>(p - bytes.data());
  return piece;
}

std::string cut_text(std::string_view text, size_t most) {
  return text.size() <= most ? std::string(text) : to_utf8(text.substr(0, most), Rest::may_come).text;
}

std::string to_base64(std::string_view bytes) {
  std::string text(base64::encoded_size(bytes.size()), '\0');
  text.resize(base64::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(base64::decoded_size(text.size()), '\0');
  const auto [written, read] = base64::decode(bytes.data(), text.data(), text.size());
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  if (text.size() % 4 != 0 || read + padding < text.size()) return {};
  bytes.resize(written);
  return bytes;
}

}  // namespace wire
