// SPDX-License-Identifier: Apache-2.0
// What stands in a request's first line and headers, taken apart. Whatever is not plainly right is nothing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace web {

struct Target {
  std::string path;                   // as it came, for what is compared whole
  std::vector<std::string> segments;  // of the path, decoded
  std::vector<std::pair<std::string, std::string>> query;

  // The last one of this name.
  std::optional<std::string> value(std::string_view name) const;
};

// "/a/b?c=d". Nothing for what does not begin with '/', has control characters, or is badly encoded.
std::optional<Target> parse_target(std::string_view text);

// The value of a cookie in a Cookie header.
std::optional<std::string> cookie_value(std::string_view header, std::string_view name);

// Behind "Bearer ", however that is written.
std::optional<std::string> bearer_token(std::string_view header);

}  // namespace web
