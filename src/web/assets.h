// SPDX-License-Identifier: Apache-2.0
// The page's files, in the program itself: made by embed.cc when it is built, out of the folder of the page.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace web {

struct Asset {
  std::string_view path;  // "/index.html"
  std::string_view type;  // for Content-Type
  std::string_view tag;   // for ETag, quoted
  std::string_view gzip;  // its bytes, compressed
  size_t size;            // uncompressed
};

// Sorted by path.
std::span<const Asset> assets();
// "/" is "/index.html".
const Asset* find_asset(std::string_view path);

std::string inflated(const Asset& asset);

}  // namespace web
