// SPDX-License-Identifier: Apache-2.0
// Reader: what one layer (a file, a variable, a flag) says, held against the schema. It goes on after a
// problem, so that all of them are found; what was wrong is left out of the layer.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/problem.h"
#include "config/schema.h"
#include "config/value.h"
#include "config/yaml.h"

namespace config {

bool is_scalar(const YamlNode& node);
// For an error: "nothing", "a list", "'text'".
std::string describe(const YamlNode& node);
// The path of a key in a group; the top is "".
std::string below(const std::string& group, std::string_view key);

struct Assigned {
  Value value;
  Origin origin;
  std::map<std::string, Origin> keys = {};  // of a map: each key's own
};

// In the order of the table.
using Layer = std::map<const Setting*, Assigned>;

struct Source {
  Origin::Kind kind = Origin::Kind::built_in;
  std::string name;
  std::string folder;  // where relative paths start
  std::string home;    // what ~ stands for
};

class Reader {
 public:
  Reader(Source source, Findings& findings) : source_(std::move(source)), findings_(findings) {}

  // A whole file.
  Layer read_file(std::string_view yaml);
  // One setting: scalars as they are, lists and maps as YAML.
  void read_setting(const Setting& setting, std::string_view text, Layer& layer);
  // One key of a map.
  void read_key(const Setting& map, std::string_view key, std::string_view text, Layer& layer);

 private:
  // Where a value stands: its setting, its name in full, its node.
  struct Spot {
    const Setting& setting;
    std::string path;
    const YamlNode& node;
  };

  void read_group(const std::string& group, const YamlNode& node, Layer& layer);
  // `key` is where it was set, for its origin: a list may begin lines below.
  void assign(const Spot& spot, const YamlNode& key, Layer& layer);
  // False, and a problem, if the key is none or was there before.
  bool take_key(const std::string& group, const YamlNode& node, size_t index,
                std::map<std::string_view, int>& seen);

  std::optional<Value> read_value(const Spot& spot);
  std::optional<Value> read_scalar(const Spot& spot);
  std::optional<Value> read_number(const Spot& spot);
  std::optional<Value> read_text(const Spot& spot);
  std::optional<Value> read_texts(const Spot& spot);
  std::optional<Value> read_map(const Spot& spot);
  std::optional<Value> read_records(const Spot& spot);
  std::optional<Record> read_record(const Spot& spot);
  Value fallback_of(const Setting& field);

  std::optional<Value> refuse(const Spot& spot);
  std::nullopt_t problem(const YamlNode& node, const std::string& path, std::string what);
  Place place_of(const YamlNode& node) const;
  Origin origin_of(const YamlNode& node) const;

  Source source_;
  Findings& findings_;
};

}  // namespace config
