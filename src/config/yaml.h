// SPDX-License-Identifier: Apache-2.0
// YAML as a tree of plain nodes that know their line. The one place that speaks to yaml-cpp, by its events:
// so that duplicate keys are seen, and aliases cost what they expand to. Whatever the bytes are, time and
// memory are bounded.
#pragma once
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"

namespace config {

constexpr size_t kMostBytes = 1 << 20;   // of a file
constexpr size_t kMostNodes = 20'000;    // aliases expanded
constexpr size_t kMostText = 4U << 20U;  // bytes in them, aliases expanded
constexpr int kMostDepth = 16;

struct YamlNode {
  enum class Kind { null, plain, quoted, list, map };
  Kind kind = Kind::null;
  int line = 0;
  int column = 0;
  std::string text = {};             // of a scalar
  std::vector<YamlNode> keys = {};   // of a map: one for each item
  std::vector<YamlNode> items = {};  // of a map or list
};

// One document; none at all is null.
std::expected<YamlNode, Problem> parse_yaml(std::string_view text, const std::string& name);

}  // namespace config
