// SPDX-License-Identifier: Apache-2.0
#include "web/assets.h"

#include <algorithm>
#include <zlib.h>

namespace web {

const Asset* find_asset(std::string_view path) {
  const std::string_view wanted = path == "/" ? "/index.html" : path;
  const auto all = assets();
  const auto found =
      std::lower_bound(all.begin(), all.end(), wanted,
                       [](const Asset& each, std::string_view name) { return each.path < name; });
  return found != all.end() && found->path == wanted ? &*found : nullptr;
}

std::string inflated(const Asset& asset) {
  constexpr int kGzip = 16 + MAX_WBITS;
  std::string text(asset.size, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(asset.gzip.data()));
  stream.avail_in = static_cast<uInt>(asset.gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  if (::inflateInit2(&stream, kGzip) != Z_OK) return {};
  ::inflate(&stream, Z_FINISH);
  ::inflateEnd(&stream);
  return text;
}

}  // namespace web
