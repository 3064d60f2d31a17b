// SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "config/text.h"

namespace config {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// The names that stand directly below a group, each once.
std::vector<std::string_view> children_of(std::string_view group) {
  std::vector<std::string_view> names;
  const size_t skip = group.empty() ? 0 : group.size() + 1;
  for (const Setting& setting : settings()) {
    if (skip > 0 && (!setting.path.starts_with(group) || setting.path[group.size()] != '.')) continue;
    const std::string_view rest = setting.path.substr(skip);
    const std::string_view name = rest.substr(0, rest.find('.'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string range(const Limits& limits) { return fmt::format("from {} to {}", limits.least, limits.most); }

}  // namespace

const Setting* find_setting(std::string_view path) {
  const auto all = settings();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Setting& s) { return s.path == path; });
  return found == all.end() ? nullptr : &*found;
}

bool is_group(std::string_view path) {
  const auto all = settings();
  return std::any_of(all.begin(), all.end(), [&](const Setting& setting) {
    return setting.path.size() > path.size() && setting.path.starts_with(path) &&
           setting.path[path.size()] == '.';
  });
}

std::string variable_of(const Setting& setting) { return "TEND_" + upper(setting.path); }

const Setting* find_variable(std::string_view name) {
  const auto all = settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Setting& s) { return variable_of(s) == name; });
  return found == all.end() ? nullptr : &*found;
}

bool is_variable_of_a_section(std::string_view name) {
  const auto all = sections();
  return std::any_of(all.begin(), all.end(), [&](const Section& section) {
    return name.starts_with("TEND_" + upper(section.name) + "_");
  });
}

std::string suggestion(std::span<const std::string_view> words, std::string_view word) {
  // Longer than any word by more than a slip: not worth the square of its length.
  constexpr size_t kMostLetters = 64;
  std::string_view best;
  size_t least = word.size() > kMostLetters ? 0 : std::max<size_t>(word.size() / 3, 1) + 1;
  for (const std::string_view candidate : words) {
    if (word.size() > kMostLetters) break;
    const size_t cost = distance(word, candidate);
    if (cost >= least) continue;
    least = cost;
    best = candidate;
  }
  return best.empty() ? "" : fmt::format(" (did you mean '{}'?)", best);
}

std::string suggestion(std::string_view group, std::string_view key) {
  if (std::string near = suggestion(children_of(group), key); !near.empty()) return near;
  // The right key in the wrong place.
  for (const Setting& setting : settings()) {
    if (last_part(setting.path) == key) return fmt::format(" (did you mean '{}'?)", setting.path);
  }
  return {};
}

std::string wanted(const Setting& setting) {
  switch (setting.type) {
    case Type::boolean:
      return "wants true or false";
    case Type::whole:
      return "wants a whole number " + range(setting.limits);
    case Type::decimal:
      return "wants a number " + range(setting.limits);
    case Type::choice:
      return fmt::format("wants one of {}", fmt::join(setting.choices, ", "));
    case Type::text:
      return "wants a text";
    case Type::path:
      return "wants a path";
    case Type::texts:
      return "wants a list of texts, as [a, b]";
    case Type::map:
      return "wants a map of texts, as {A: b}";
    case Type::records:
      return "wants a list of maps";
  }
  return {};
}

}  // namespace config
