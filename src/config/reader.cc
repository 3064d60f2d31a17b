// SPDX-License-Identifier: Apache-2.0
#include "config/reader.h"

#include <fmt/format.h>

#include "config/text.h"

namespace config {
namespace {

using Kind = YamlNode::Kind;

constexpr size_t kMostQuoted = 60;

}  // namespace

bool is_scalar(const YamlNode& node) { return node.kind == Kind::plain || node.kind == Kind::quoted; }

std::string describe(const YamlNode& node) {
  const auto shown = [&] {
    std::string text = valid_utf8(node.text);
    if (text.size() <= kMostQuoted) return text;
    const std::string cut = text.substr(0, kMostQuoted);
    return cut.substr(0, utf8_prefix(cut)) + "…";
  };
  switch (node.kind) {
    case Kind::null:
      return "nothing";
    case Kind::plain:
      return fmt::format("'{}'", shown());
    case Kind::quoted:
      return fmt::format("the text '{}'", shown());
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
  }
  return {};
}

std::string below(const std::string& group, std::string_view key) {
  return group.empty() ? std::string(key) : fmt::format("{}.{}", group, key);
}

Layer Reader::read_file(std::string_view yaml) {
  Layer layer;
  auto root = parse_yaml(yaml, source_.name);
  if (!root) {
    findings_.errors.push_back(std::move(root.error()));
  } else if (root->kind != Kind::map && root->kind != Kind::null) {
    problem(*root, "", "wants sections with settings, as 'web: {port: 8888}', not " + describe(*root));
  } else {
    read_group("", *root, layer);
  }
  return layer;
}

void Reader::read_setting(const Setting& setting, std::string_view text, Layer& layer) {
  const bool as_yaml =
      setting.type == Type::texts || setting.type == Type::map || setting.type == Type::records;
  const bool as_text =
      setting.type == Type::text || setting.type == Type::path || setting.type == Type::choice;
  YamlNode node{.kind = as_text ? Kind::quoted : Kind::plain, .text = std::string(text)};
  // Nothing behind the "=" takes back what may be left unset.
  if (text.empty() && !setting.fallback) node.kind = Kind::null;
  if (as_yaml && (text == "[]" || text == "{}")) {
    // Most defaults are: not worth a parser at every start.
    node.kind = text == "[]" ? Kind::list : Kind::map;
  } else if (as_yaml) {
    auto parsed = parse_yaml(text, source_.name);
    if (!parsed) {
      problem(node, std::string(setting.path), parsed.error().what);
      return;
    }
    node = std::move(*parsed);
  }
  assign({setting, std::string(setting.path), node}, node, layer);
}

void Reader::read_key(const Setting& map, std::string_view key, std::string_view text, Layer& layer) {
  YamlNode node{.kind = Kind::map};
  node.keys.push_back({.kind = Kind::quoted, .text = std::string(key)});
  node.items.push_back({.kind = Kind::quoted, .text = std::string(text)});
  assign({map, std::string(map.path), node}, node, layer);
}

void Reader::read_group(const std::string& group, const YamlNode& node, Layer& layer) {
  std::map<std::string_view, int> seen;
  for (size_t i = 0; i < node.keys.size(); i++) {
    if (!take_key(group, node, i, seen)) continue;
    const YamlNode& item = node.items[i];
    const std::string path = below(group, node.keys[i].text);
    if (const Setting* setting = find_setting(path)) {
      assign({*setting, path, item}, node.keys[i], layer);
    } else if (!is_group(path)) {
      problem(node.keys[i], path, "is not a setting" + suggestion(group, node.keys[i].text));
    } else if (item.kind == Kind::map || item.kind == Kind::null) {
      // A section whose lines are all comments is null.
      read_group(path, item, layer);
    } else {
      problem(item, path, "wants settings below it, not " + describe(item));
    }
  }
}

bool Reader::take_key(const std::string& group, const YamlNode& node, size_t index,
                      std::map<std::string_view, int>& seen) {
  const YamlNode& key = node.keys[index];
  if (!is_scalar(key)) {
    problem(key, group, "has a key that is not a word but " + describe(key));
    return false;
  }
  const auto [first, is_new] = seen.emplace(key.text, key.line);
  if (!is_new) {
    const bool has_lines = source_.kind == Origin::Kind::file;
    problem(key, below(group, key.text),
            "is set twice" + (has_lines ? fmt::format(" (first on line {})", first->second) : ""));
  }
  return is_new;
}

void Reader::assign(const Spot& spot, const YamlNode& key, Layer& layer) {
  auto value = read_value(spot);
  if (!value) return;
  if (!spot.setting.gone.empty()) {
    findings_.warnings.push_back({place_of(key), spot.path, std::string(spot.setting.gone)});
    return;
  }
  Assigned& assigned = layer[&spot.setting];
  assigned.origin = origin_of(key);
  if (auto* map = std::get_if<TextMap>(&value->is)) {
    // Flags may name one key each: what came before in this layer stays.
    for (const YamlNode& name : spot.node.keys) assigned.keys[name.text] = origin_of(name);
    if (auto* before = std::get_if<TextMap>(&assigned.value.is)) map->merge(*before);
  }
  assigned.value = std::move(*value);
}

std::optional<Value> Reader::refuse(const Spot& spot) {
  if (spot.setting.secrecy == Secrecy::secret) return problem(spot.node, spot.path, wanted(spot.setting));
  return problem(spot.node, spot.path, fmt::format("{}, not {}", wanted(spot.setting), describe(spot.node)));
}

std::nullopt_t Reader::problem(const YamlNode& node, const std::string& path, std::string what) {
  findings_.errors.push_back({place_of(node), path, std::move(what)});
  return std::nullopt;
}

// The text of a variable or flag is one line of its own: what stands where in it helps nobody.
Place Reader::place_of(const YamlNode& node) const {
  if (source_.kind != Origin::Kind::file) return {source_.name, 0, 0};
  return {source_.name, node.line, node.column};
}

Origin Reader::origin_of(const YamlNode& node) const {
  return {source_.kind, source_.name, source_.kind == Origin::Kind::file ? node.line : 0};
}

}  // namespace config
