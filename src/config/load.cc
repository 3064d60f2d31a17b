// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <filesystem>
#include <fmt/format.h>

#include "base/strings.h"
#include "config/file.h"

namespace config {
namespace {

constexpr const char* kFlag = "--set";

size_t index_of(const Setting& setting) { return static_cast<size_t>(&setting - settings().data()); }

std::string current_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

std::string folder_of(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::absolute(file, ignored).parent_path().lexically_normal().string();
}

// The layers as they are laid on each other, and all that was wrong with them.
class Loading {
 public:
  explicit Loading(std::string home) : home_(std::move(home)) {
    values_.resize(settings().size());
    Layer layer;
    Reader reader({}, findings_);
    for (const Setting& setting : settings()) {
      if (setting.fallback && setting.gone.empty()) reader.read_setting(setting, *setting.fallback, layer);
    }
    assert(findings_.errors.empty());
    lay(std::move(layer));
  }

  void add_file(const std::optional<std::string>& path, Found found) {
    if (!path) return;
    auto text = read_file(*path, found);
    if (!text)
      findings_.errors.push_back(std::move(text.error()));
    else if (*text)
      add_text(**text, *path, folder_of(*path));
  }

  void add_text(std::string_view yaml, const std::string& name, const std::string& folder) {
    lay(Reader({Origin::Kind::file, name, folder, home_}, findings_).read_file(yaml));
  }

  void add_environment(std::vector<std::string> environment) {
    // Sorted, so that the first problem is the same one every time.
    std::sort(environment.begin(), environment.end());
    const std::string folder = current_folder();
    for (const std::string& entry : environment) {
      const std::string name = entry.substr(0, entry.find('='));
      if (name.size() + 1 >= entry.size() || !is_variable_of_a_section(name)) continue;
      const Setting* setting = find_variable(name);
      if (setting == nullptr) {
        findings_.errors.push_back({{name, 0, 0}, "", "is not a setting" + suggest_variable(name)});
        continue;
      }
      Layer layer;
      Reader({Origin::Kind::environment, name, folder, home_}, findings_)
          .read_setting(*setting, std::string_view(entry).substr(name.size() + 1), layer);
      lay(std::move(layer));
    }
  }

  void add_assignment(const std::string& assignment, const std::string& option = kFlag) {
    Reader reader({Origin::Kind::flag, option, current_folder(), home_}, findings_);
    Layer layer;
    read_assignment(assignment, reader, layer);
    lay(std::move(layer));
  }

  // Rules that look at more than one setting.
  void check_together() {
    if (!findings_.errors.empty()) return;
    const auto number = [&](const char* path) { return std::get<double>(of(path).value.is); };
    if (number("detector.med_threshold") > number("detector.high_threshold"))
      refuse("detector.med_threshold", "must not be above detector.high_threshold");
    constexpr std::array<std::array<const char*, 2>, 2> kPairs = {
        {{"web.tls_cert", "web.tls_key"},
         {"channels.slack.bot_token_file", "channels.slack.app_token_file"}}};
    for (const auto& pair : kPairs) {
      const bool first = of(pair[0]).value.is_set();
      if (first == of(pair[1]).value.is_set()) continue;
      refuse(first ? pair[0] : pair[1], fmt::format("needs {} beside it", first ? pair[1] : pair[0]));
    }
  }

  Findings findings() && { return std::move(findings_); }

  base::Result<Loaded> finish() && {
    if (!findings_.errors.empty()) return std::unexpected(findings_.errors.front().error());
    Loaded loaded{.config = {}, .settings = std::move(values_), .warnings = std::move(findings_.warnings)};
    for (const Setting& setting : settings()) {
      if (setting.store != nullptr)
        setting.store(setting, loaded.settings[index_of(setting)].value, &loaded.config);
    }
    return loaded;
  }

 private:
  const Assigned& of(std::string_view path) const { return values_[index_of(*find_setting(path))]; }

  void refuse(const char* path, std::string what) {
    const Origin& origin = of(path).origin;
    const std::string name = origin.kind == Origin::Kind::built_in ? origin.text() : origin.name;
    findings_.errors.push_back({{name, origin.line, 0}, path, std::move(what)});
  }

  static std::string suggest_variable(const std::string& name) {
    std::vector<std::string> names;
    for (const Setting& setting : settings()) names.push_back(variable_of(setting));
    const std::vector<std::string_view> words(names.begin(), names.end());
    return suggestion(words, name);
  }

  void read_assignment(const std::string& assignment, Reader& reader, Layer& layer) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      findings_.errors.push_back({{kFlag, 0, 0}, assignment, "wants section.key=value"});
      return;
    }
    const std::string path = assignment.substr(0, equals);
    const std::string_view text = std::string_view(assignment).substr(equals + 1);
    if (const Setting* setting = find_setting(path)) {
      reader.read_setting(*setting, text, layer);
      return;
    }
    const size_t dot = path.rfind('.');
    const std::string group = dot == std::string::npos ? "" : path.substr(0, dot);
    const Setting* map = find_setting(group);
    if (map != nullptr && map->type == Type::map)
      reader.read_key(*map, path.substr(dot + 1), text, layer);
    else
      findings_.errors.push_back({{kFlag, 0, 0}, path, "is not a setting" + suggest_path(path)});
  }

  static std::string suggest_path(const std::string& path) {
    std::vector<std::string_view> paths;
    for (const Setting& setting : settings()) paths.push_back(setting.path);
    return suggestion(paths, path);
  }

  void lay(Layer layer) {
    for (auto& [setting, assigned] : layer) {
      Assigned& held = values_[index_of(*setting)];
      auto* above = std::get_if<TextMap>(&assigned.value.is);
      auto* below = std::get_if<TextMap>(&held.value.is);
      if (above != nullptr && below != nullptr) {
        above->merge(*below);
        assigned.keys.merge(held.keys);
        std::erase_if(*above, [](const auto& entry) { return !entry.second; });
        std::erase_if(assigned.keys, [&](const auto& entry) { return !above->contains(entry.first); });
      }
      held = std::move(assigned);
    }
  }

  std::string home_;
  std::vector<Assigned> values_;
  Findings findings_;
};

Loading load_layers(const Sources& sources) {
  Loading loading(sources.home);
  loading.add_file(sources.user_file, Found::in_home);
  loading.add_file(sources.project_file, Found::in_folder);
  loading.add_file(sources.named_file, Found::by_name);
  loading.add_environment(sources.environment);
  for (const std::string& each : sources.assignments) loading.add_assignment(each);
  for (const Option& each : sources.options) loading.add_assignment(each.assignment, each.name);
  loading.check_together();
  return loading;
}

}  // namespace

const Assigned& Loaded::at(std::string_view path) const {
  const Setting* setting = find_setting(path);
  assert(setting != nullptr);
  return settings[index_of(*setting)];
}

base::Result<Loaded> load(const Sources& sources) { return load_layers(sources).finish(); }

Findings check(const Sources& sources) { return load_layers(sources).findings(); }

Findings check_file(const std::string& path) {
  // Whatever ~ stands for, the file is as good.
  Loading loading("/");
  loading.add_file(path, Found::by_name);
  return std::move(loading).findings();
}

Loaded defaults() { return *Loading("").finish(); }

base::Result<Loaded> load_text(std::string_view yaml, const std::string& name) {
  Loading loading("");
  loading.add_text(yaml, name, "/");
  loading.check_together();
  return std::move(loading).finish();
}

}  // namespace config
