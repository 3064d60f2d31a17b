// SPDX-License-Identifier: Apache-2.0
// The half of Reader that reads values, one function for each kind of setting.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/strings.h"
#include "config/checks.h"
#include "config/reader.h"
#include "config/text.h"

namespace config {

using Kind = YamlNode::Kind;

std::optional<Value> Reader::read_value(const Spot& spot) {
  if (spot.node.kind == Kind::null && !spot.setting.fallback) return Value{};
  switch (spot.setting.type) {
    case Type::texts:
      return read_texts(spot);
    case Type::map:
      return read_map(spot);
    case Type::records:
      return read_records(spot);
    default:
      return is_scalar(spot.node) ? read_scalar(spot) : refuse(spot);
  }
}

std::optional<Value> Reader::read_scalar(const Spot& spot) {
  const std::string& text = spot.node.text;
  switch (spot.setting.type) {
    case Type::boolean:
      if (spot.node.kind != Kind::plain) return refuse(spot);
      if (text == "true" || text == "True" || text == "TRUE") return Value{true};
      if (text == "false" || text == "False" || text == "FALSE") return Value{false};
      return refuse(spot);
    case Type::whole:
    case Type::decimal:
      return spot.node.kind == Kind::plain ? read_number(spot) : refuse(spot);
    case Type::choice: {
      const auto& words = spot.setting.choices;
      if (std::find(words.begin(), words.end(), text) != words.end()) return Value{text};
      return problem(
          spot.node, spot.path,
          fmt::format("{}, not {}{}", wanted(spot.setting), describe(spot.node), suggestion(words, text)));
    }
    default:
      return read_text(spot);
  }
}

std::optional<Value> Reader::read_number(const Spot& spot) {
  const std::string& text = spot.node.text;
  const Limits& limits = spot.setting.limits;
  if (spot.setting.type == Type::whole) {
    const auto number =
        base::parse_number(text, static_cast<int64_t>(limits.least), static_cast<int64_t>(limits.most));
    if (!number) return refuse(spot);
    if (spot.setting.check != nullptr) {
      if (auto wrong = spot.setting.check(text)) return problem(spot.node, spot.path, std::move(*wrong));
    }
    return Value{*number};
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  // Asked this way round, so that "nan" is refused too.
  const bool within = number >= limits.least && number <= limits.most;
  if (parsed.ec != std::errc() || parsed.ptr != end || !within) return refuse(spot);
  return Value{number};
}

std::optional<Value> Reader::read_text(const Spot& spot) {
  std::string text = spot.node.text;
  const auto wrong = [&](std::string what) { return problem(spot.node, spot.path, std::move(what)); };
  if (utf8_prefix(text) < text.size()) return wrong("is not UTF-8");
  if (text.find('\0') != std::string::npos) return wrong("has a zero byte");
  if (spot.setting.secrecy == Secrecy::secret && text == kMask)
    return wrong("has what 'tend config show' prints in place of a secret");
  if (spot.setting.check != nullptr) {
    if (auto what = spot.setting.check(text)) return wrong(std::move(*what));
  }
  if (spot.setting.type != Type::path || text.starts_with('/')) return Value{std::move(text)};
  if (!text.starts_with("~/"))
    return Value{source_.folder + (source_.folder.ends_with('/') ? "" : "/") + text};
  if (source_.home.empty()) return wrong("begins with ~, and HOME is not set");
  return Value{source_.home + text.substr(1)};
}

std::optional<Value> Reader::read_texts(const Spot& spot) {
  if (spot.node.kind != Kind::list) return refuse(spot);
  Texts texts;
  bool good = true;
  for (size_t i = 0; i < spot.node.items.size(); i++) {
    const Spot item{spot.setting, fmt::format("{}[{}]", spot.path, i), spot.node.items[i]};
    if (!is_scalar(item.node)) {
      problem(item.node, item.path, "wants a text, not " + describe(item.node));
      good = false;
    } else if (auto value = read_text(item)) {
      texts.push_back(std::move(std::get<std::string>(value->is)));
    } else {
      good = false;
    }
  }
  if (!good) return {};
  return Value{std::move(texts)};
}

std::optional<Value> Reader::read_map(const Spot& spot) {
  if (spot.node.kind != Kind::map) return refuse(spot);
  std::optional<Value> read(std::in_place);
  auto& map = read->is.emplace<TextMap>();
  std::map<std::string_view, int> seen;
  bool good = true;
  for (size_t i = 0; i < spot.node.keys.size(); i++) {
    if (!take_key(spot.path, spot.node, i, seen)) {
      good = false;
      continue;
    }
    const std::string& key = spot.node.keys[i].text;
    const Spot item{spot.setting, below(spot.path, key), spot.node.items[i]};
    if (!is_variable_name(key)) {
      problem(spot.node.keys[i], item.path, "is not a name of letters, digits and _");
      good = false;
    } else if (item.node.kind == Kind::null) {
      map[key] = std::nullopt;
    } else if (!is_scalar(item.node)) {
      problem(item.node, item.path, "wants a text, not " + describe(item.node));
      good = false;
    } else if (auto value = read_text(item)) {
      map[key] = std::move(std::get<std::string>(value->is));
    } else {
      good = false;
    }
  }
  if (!good) return {};
  return read;
}

std::optional<Value> Reader::read_records(const Spot& spot) {
  if (spot.node.kind != Kind::list) return refuse(spot);
  Records records;
  for (size_t i = 0; i < spot.node.items.size(); i++) {
    const Spot item{spot.setting, fmt::format("{}[{}]", spot.path, i), spot.node.items[i]};
    if (auto record = read_record(item)) records.push_back(std::move(*record));
  }
  if (records.size() != spot.node.items.size()) return {};
  return Value{std::move(records)};
}

std::optional<Record> Reader::read_record(const Spot& spot) {
  const auto& fields = spot.setting.fields;
  if (spot.node.kind != Kind::map) {
    problem(spot.node, spot.path, "wants a map, not " + describe(spot.node));
    return {};
  }
  std::vector<std::string_view> names;
  for (const Setting& field : fields) names.push_back(field.path);
  std::vector<std::optional<Value>> found(fields.size());
  std::map<std::string_view, int> seen;
  const size_t errors = findings_.errors.size();
  for (size_t i = 0; i < spot.node.keys.size(); i++) {
    const YamlNode& key = spot.node.keys[i];
    if (!take_key(spot.path, spot.node, i, seen)) continue;
    const std::string path = below(spot.path, key.text);
    const auto name = std::find(names.begin(), names.end(), key.text);
    if (name == names.end())
      problem(key, path, "is not a field" + suggestion(names, key.text));
    else
      found[static_cast<size_t>(name - names.begin())] =
          read_value({fields[static_cast<size_t>(name - names.begin())], path, spot.node.items[i]});
  }
  Record record;
  for (size_t i = 0; i < fields.size(); i++) {
    // A value that was refused has been reported already.
    const bool missing = found[i] ? !found[i]->is_set() : !seen.contains(names[i]);
    if (missing && fields[i].need == Setting::Need::required)
      problem(spot.node, spot.path, fmt::format("wants the field '{}'", names[i]));
    if (!found[i]) found[i] = fallback_of(fields[i]);
    record.push_back(std::move(*found[i]));
  }
  if (findings_.errors.size() == errors && spot.setting.check_record != nullptr) {
    if (auto wrong = spot.setting.check_record(record)) problem(spot.node, spot.path, std::move(*wrong));
  }
  if (findings_.errors.size() != errors) return {};
  return record;
}

Value Reader::fallback_of(const Setting& field) {
  if (!field.fallback) return {};
  Layer layer;
  read_setting(field, *field.fallback, layer);
  return std::move(layer[&field].value);
}

}  // namespace config
