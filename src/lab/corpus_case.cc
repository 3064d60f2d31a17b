// SPDX-License-Identifier: Apache-2.0
#include "lab/corpus_case.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "base/strings.h"
#include "config/yaml.h"

namespace lab {
namespace {

using base::Result;
using config::YamlNode;
using std::chrono::milliseconds;

constexpr int64_t kLongest = 120'000;  // milliseconds
constexpr base::Duration kWithin = std::chrono::seconds(10);
constexpr base::Duration kHold = milliseconds(700);
constexpr base::Duration kHoldWork = milliseconds(2500);

std::unexpected<base::Error> wrong(const YamlNode& node, const std::string& what) {
  return base::fail(base::Code::invalid_param, 0, "line " + std::to_string(node.line) + ": " + what);
}

bool is_text(const YamlNode& node) {
  return node.kind == YamlNode::Kind::plain || node.kind == YamlNode::Kind::quoted;
}

// One key of a map, and what takes its value.
struct Key {
  std::string_view name;
  std::function<Result<void>(const YamlNode&)> take;
};

Result<void> read_map(const YamlNode& node, const std::vector<Key>& keys) {
  if (node.kind != YamlNode::Kind::map) return wrong(node, "must be a map");
  for (size_t i = 0; i < node.keys.size(); i++) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const Key& each) { return each.name == node.keys[i].text; });
    if (key == keys.end()) return wrong(node.keys[i], "there is no key '" + node.keys[i].text + "'");
    if (auto taken = key->take(node.items[i]); !taken) return taken;
  }
  return {};
}

Result<void> read_text(const YamlNode& node, std::string& into) {
  if (!is_text(node)) return wrong(node, "must be a text");
  into = node.text;
  return {};
}

Result<void> read_texts(const YamlNode& node, std::vector<std::string>& into) {
  if (node.kind != YamlNode::Kind::list) return wrong(node, "must be a list");
  for (const YamlNode& each : node.items) {
    if (!is_text(each)) return wrong(each, "must be a text");
    into.push_back(each.text);
  }
  return {};
}

Result<void> read_flag(const YamlNode& node, std::optional<bool>& into) {
  if (node.text != "true" && node.text != "false") return wrong(node, "must be true or false");
  into = node.text == "true";
  return {};
}

Result<void> read_time(const YamlNode& node, base::Duration& into) {
  const auto number = base::parse_number<int64_t>(node.text, 0, kLongest);
  if (!number) return wrong(node, "must be milliseconds");
  into = milliseconds(*number);
  return {};
}

Result<void> read_size(const YamlNode& node, pty::Size& into) {
  const size_t x = node.text.find('x');
  if (x == std::string::npos) return wrong(node, "must be COLUMNSxROWS");
  const auto cols = base::parse_number<uint16_t>(std::string_view(node.text).substr(0, x), 1, 500);
  const auto rows = base::parse_number<uint16_t>(std::string_view(node.text).substr(x + 1), 1, 500);
  if (!cols || !rows) return wrong(node, "must be COLUMNSxROWS");
  into = {*cols, *rows};
  return {};
}

Result<void> read_command(const YamlNode& node, std::vector<std::string>& argv) {
  if (node.kind == YamlNode::Kind::list) return read_texts(node, argv);
  std::string line;
  if (auto taken = read_text(node, line); !taken) return taken;
  argv = {"/bin/sh", "-c", line};
  return {};
}

Result<void> read_env(const YamlNode& node, std::vector<std::string>& env) {
  if (node.kind != YamlNode::Kind::map) return wrong(node, "must be a map");
  for (size_t i = 0; i < node.keys.size(); i++) env.push_back(node.keys[i].text + "=" + node.items[i].text);
  return {};
}

Result<void> read_state(const YamlNode& node, detect::State& into) {
  for (const auto state : {detect::State::working, detect::State::waiting, detect::State::ready}) {
    if (name_of(state) != node.text) continue;
    into = state;
    return {};
  }
  return wrong(node, "must be waiting, ready or working");
}

Result<void> read_types(const YamlNode& node, std::vector<detect::Type>& into) {
  std::vector<std::string> names;
  if (is_text(node))
    names.push_back(node.text);
  else if (auto taken = read_texts(node, names); !taken)
    return taken;
  for (const std::string& each : names) {
    const auto type = detect::type_named(each);
    if (!type) return wrong(node, "there is no type '" + each + "'");
    into.push_back(*type);
  }
  return {};
}

Result<void> read_truth(const YamlNode& node, Truth& truth) {
  return read_map(
      node, {{"state", [&](const YamlNode& value) { return read_state(value, truth.state); }},
             {"type", [&](const YamlNode& value) { return read_types(value, truth.types); }},
             {"question", [&](const YamlNode& value) { return read_text(value, truth.question.emplace()); }},
             {"choices", [&](const YamlNode& value) { return read_texts(value, truth.choices.emplace()); }},
             {"default", [&](const YamlNode& value) { return read_text(value, truth.fallback.emplace()); }},
             {"secret", [&](const YamlNode& value) { return read_flag(value, truth.secret); }},
             {"enter", [&](const YamlNode& value) { return read_flag(value, truth.enter); }}});
}

Result<void> read_steps(const YamlNode& node, std::vector<CorpusStep>& steps) {
  if (node.kind != YamlNode::Kind::list) return wrong(node, "must be a list");
  for (const YamlNode& each : node.items) {
    CorpusStep& step = steps.emplace_back();
    auto taken =
        read_map(each, {{"wait", [&](const YamlNode& value) { return read_text(value, step.wait); }},
                        {"type", [&](const YamlNode& value) { return read_text(value, step.type); }},
                        {"pause_ms", [&](const YamlNode& value) { return read_time(value, step.pause); }}});
    if (!taken) return taken;
  }
  return {};
}

}  // namespace

Result<CorpusCase> parse_case(const std::string& text, const std::string& name) {
  const auto tree = config::parse_yaml(text, name);
  if (!tree) return std::unexpected(tree.error().error());
  CorpusCase found;
  found.name = name;
  found.within = kWithin;
  std::optional<base::Duration> hold;
  auto taken =
      read_map(*tree, {{"about", [&](const YamlNode& value) { return read_text(value, found.about); }},
                       {"first", [&](const YamlNode& value) { return read_text(value, found.first); }},
                       {"needs", [&](const YamlNode& value) { return read_texts(value, found.needs); }},
                       {"setup", [&](const YamlNode& value) { return read_text(value, found.setup); }},
                       {"teardown", [&](const YamlNode& value) { return read_text(value, found.teardown); }},
                       {"command", [&](const YamlNode& value) { return read_command(value, found.argv); }},
                       {"env", [&](const YamlNode& value) { return read_env(value, found.env); }},
                       {"size", [&](const YamlNode& value) { return read_size(value, found.size); }},
                       {"steps", [&](const YamlNode& value) { return read_steps(value, found.steps); }},
                       {"within_ms", [&](const YamlNode& value) { return read_time(value, found.within); }},
                       {"hold_ms", [&](const YamlNode& value) { return read_time(value, hold.emplace()); }},
                       {"truth", [&](const YamlNode& value) { return read_truth(value, found.truth); }}});
  if (!taken) return base::fail(taken);
  if (found.argv.empty()) return wrong(*tree, "has no command");
  const bool waits = found.truth.state == detect::State::waiting;
  if (waits == found.truth.types.empty()) return wrong(*tree, "a type belongs to what waits, and only there");
  found.hold = hold.value_or(waits ? kHold : kHoldWork);
  return found;
}

}  // namespace lab
