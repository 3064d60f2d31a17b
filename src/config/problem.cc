// SPDX-License-Identifier: Apache-2.0
#include "config/problem.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "config/text.h"
#include "config/value.h"

namespace config {
namespace {

constexpr size_t kMostShown = 8192;  // two names and some words

std::string shown(const std::string& text) { return base::printable(valid_utf8(text), kMostShown); }

}  // namespace

base::Error Problem::error() const {
  std::string text = place.name;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.column > 0) text += fmt::format(":{}", place.column);
  if (!path.empty()) text += ": " + path;
  return {base::Code::invalid_param, 0, text + ": " + what};
}

std::string Problem::message() const { return shown(error().what); }

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
