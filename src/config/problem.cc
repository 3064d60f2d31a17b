// SPDX-License-Identifier: Apache-2.0
#include "config/problem.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "config/text.h"
#include "config/value.h"

namespace config {
namespace {

constexpr size_t kMostOfName = 4096;

std::string shown(const std::string& name) { return base::printable(valid_utf8(name), kMostOfName); }

}  // namespace

std::string Problem::message() const {
  std::string text = shown(place.name);
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.column > 0) text += fmt::format(":{}", place.column);
  if (!path.empty()) text += (text.empty() ? "" : ": ") + shown(path);
  return text + ": " + what;
}

base::Error Problem::error() const { return {base::Code::invalid_param, 0, message()}; }

std::string Origin::text() const {
  switch (kind) {
    case Kind::built_in:
      return "default";
    case Kind::file:
      return fmt::format("{}:{}", shown(name), line);
    case Kind::environment:
    case Kind::flag:
      return shown(name);
  }
  return {};
}

}  // namespace config
