// SPDX-License-Identifier: Apache-2.0
#include "config/show.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/strings.h"
#include "config/checks.h"
#include "config/text.h"

namespace config {
namespace {

enum class Form { yaml, json };

std::string number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// `parts` between two brackets, with commas.
std::string enclosed(const char* brackets, const std::vector<std::string>& parts) {
  return fmt::format("{}{}{}", brackets[0], fmt::join(parts, ", "), brackets[1]);
}

// Values on one line.
class Writer {
 public:
  Writer(Form form, Secrets secrets) : form_(form), secrets_(secrets) {}

  std::string text(const Setting& setting, const std::string& text) const {
    const bool hide =
        setting.secrecy == Secrecy::secret && secrets_ == Secrets::masked && !is_reference(text);
    const std::string_view shown = hide ? kMask : std::string_view(text);
    return form_ == Form::json ? quote(shown) : yaml_text(shown);
  }

  std::string value(const Setting& setting, const Value& value) const {
    return std::visit([&](const auto& is) { return write(setting, is); }, value.is);
  }

  std::string record(const Setting& setting, const Record& record) const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < record.size(); i++) {
      if (!record[i].is_set()) continue;
      const Setting& field = setting.fields[i];
      parts.push_back(fmt::format("{}: {}", name(field.path), value(field, record[i])));
    }
    return enclosed("{}", parts);
  }

  std::string name(std::string_view key) const { return form_ == Form::json ? quote(key) : yaml_text(key); }

 private:
  std::string write(const Setting& /*setting*/, std::monostate /*unset*/) const { return "null"; }
  std::string write(const Setting& /*setting*/, bool is) const { return is ? "true" : "false"; }
  std::string write(const Setting& /*setting*/, int64_t is) const { return std::to_string(is); }
  std::string write(const Setting& /*setting*/, double is) const { return number(is); }
  std::string write(const Setting& setting, const std::string& is) const { return text(setting, is); }
  std::string write(const Setting& setting, const Texts& is) const {
    std::vector<std::string> parts;
    for (const std::string& item : is) parts.push_back(text(setting, item));
    return enclosed("[]", parts);
  }
  std::string write(const Setting& setting, const TextMap& is) const {
    std::vector<std::string> parts;
    for (const auto& [key, item] : is)
      parts.push_back(fmt::format("{}: {}", name(key), text(setting, item.value_or(""))));
    return enclosed("{}", parts);
  }
  std::string write(const Setting& setting, const Records& is) const {
    std::vector<std::string> parts;
    for (const Record& item : is) parts.push_back(record(setting, item));
    return enclosed("[]", parts);
  }

  Form form_;
  Secrets secrets_;
};

// Walks over the settings that hold, telling where a group opens and closes.
template <typename Open, typename Close, typename Leaf>
void walk(const Loaded& loaded, Open open, Close close, Leaf leaf) {
  std::vector<std::string_view> groups;
  for (size_t i = 0; i < settings().size(); i++) {
    const Setting& setting = settings()[i];
    if (!setting.gone.empty()) continue;
    std::vector<std::string_view> parts = base::split(setting.path, '.');
    const std::string_view key = parts.back();
    parts.pop_back();
    while (groups.size() > parts.size() || !std::equal(groups.begin(), groups.end(), parts.begin())) {
      groups.pop_back();
      close(groups.size());
    }
    while (groups.size() < parts.size()) {
      open(parts[groups.size()], groups.size());
      groups.push_back(parts[groups.size()]);
    }
    leaf(setting, key, loaded.settings[i], groups.size());
  }
  while (!groups.empty()) {
    groups.pop_back();
    close(groups.size());
  }
}

class YamlPage {
 public:
  YamlPage(Secrets secrets, Colour colour) : writer_(Form::yaml, secrets), colour_(colour) {}

  void group(std::string_view name, size_t depth) { line(depth, fmt::format("{}:", name), nullptr); }

  void setting(const Setting& setting, std::string_view key, const Assigned& assigned, size_t depth) {
    const auto head = fmt::format("{}:", key);
    const auto* map = std::get_if<TextMap>(&assigned.value.is);
    const auto* texts = std::get_if<Texts>(&assigned.value.is);
    const auto* records = std::get_if<Records>(&assigned.value.is);
    if (map != nullptr && !map->empty()) {
      line(depth, head, nullptr);
      for (const auto& [name, text] : *map) {
        line(depth + 1, fmt::format("{}: {}", writer_.name(name), writer_.text(setting, text.value_or(""))),
             &assigned.keys.at(name));
      }
    } else if (texts != nullptr && !texts->empty()) {
      line(depth, head, &assigned.origin);
      for (const std::string& text : *texts) line(depth + 1, "- " + writer_.text(setting, text), nullptr);
    } else if (records != nullptr && !records->empty()) {
      line(depth, head, &assigned.origin);
      for (const Record& record : *records) line(depth + 1, "- " + writer_.record(setting, record), nullptr);
    } else {
      line(depth, head + " " + writer_.value(setting, assigned.value), &assigned.origin);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void line(size_t depth, const std::string& what, const Origin* origin) {
    text_ += std::string(depth * 2, ' ') + what;
    if (origin != nullptr) {
      const std::string comment = "  # " + origin->text();
      text_ += colour_ == Colour::ansi ? "\x1b[2m" + comment + "\x1b[0m" : comment;
    }
    text_ += '\n';
  }

  Writer writer_;
  Colour colour_;
  std::string text_;
};

std::string problems(const std::vector<Problem>& all) {
  std::vector<std::string> parts;
  parts.reserve(all.size());
  for (const Problem& problem : all) {
    parts.push_back(fmt::format(R"({{"file": {}, "line": {}, "column": {}, "key": {}, "message": {}}})",
                                quote(problem.place.name), problem.place.line, problem.place.column,
                                quote(problem.path), quote(problem.what)));
  }
  return enclosed("[]", parts);
}

}  // namespace

std::string show_yaml(const Loaded& loaded, Secrets secrets, Colour colour) {
  YamlPage page(secrets, colour);
  walk(
      loaded, [&](std::string_view name, size_t depth) { page.group(name, depth); }, [](size_t) {},
      [&](const Setting& setting, std::string_view key, const Assigned& assigned, size_t depth) {
        page.setting(setting, key, assigned, depth);
      });
  return page.take();
}

std::string show_changes(const Loaded& loaded) {
  const Writer writer(Form::yaml, Secrets::shown);
  std::string text;
  std::vector<std::string> unopened;  // groups in which nothing has changed so far
  walk(
      loaded,
      [&](std::string_view name, size_t depth) {
        unopened.push_back(fmt::format("{}{}:\n", std::string(depth * 2, ' '), name));
      },
      [&](size_t) {
        if (!unopened.empty()) unopened.pop_back();
      },
      [&](const Setting& setting, std::string_view key, const Assigned& assigned, size_t depth) {
        if (assigned.origin.kind == Origin::Kind::built_in || setting.secrecy == Secrecy::secret) return;
        for (const std::string& group : std::exchange(unopened, {})) text += group;
        text += fmt::format("{}{}: {}\n", std::string(depth * 2, ' '), key,
                            writer.value(setting, assigned.value));
      });
  return text;
}

std::string show_json(const Loaded& loaded, Secrets secrets) {
  const Writer writer(Form::json, secrets);
  std::string config;
  std::vector<std::string> origins;
  // A comma stands before everything but the first of its group.
  const auto separate = [&](size_t depth) {
    if (!config.empty() && config.back() != '{') config += ',';
    config += '\n' + std::string(depth * 2 + 4, ' ');
  };
  walk(
      loaded,
      [&](std::string_view name, size_t depth) {
        separate(depth);
        config += fmt::format("{}: {{", quote(name));
      },
      [&](size_t depth) { config += '\n' + std::string(depth * 2 + 4, ' ') + '}'; },
      [&](const Setting& setting, std::string_view key, const Assigned& assigned, size_t depth) {
        separate(depth);
        config += fmt::format("{}: {}", quote(key), writer.value(setting, assigned.value));
        origins.push_back(fmt::format("    {}: {}", quote(setting.path), quote(assigned.origin.text())));
        for (const auto& [name, origin] : assigned.keys) {
          origins.push_back(fmt::format("    {}: {}", quote(fmt::format("{}.{}", setting.path, name)),
                                        quote(origin.text())));
        }
      });
  return fmt::format("{{\n  \"config\": {{{}\n  }},\n  \"origins\": {{\n{}\n  }},\n  \"warnings\": {}\n}}\n",
                     config, fmt::join(origins, ",\n"), problems(loaded.warnings));
}

std::string show_json(const Findings& findings) {
  return fmt::format("{{\"ok\": {}, \"errors\": {}, \"warnings\": {}}}\n", findings.errors.empty(),
                     problems(findings.errors), problems(findings.warnings));
}

}  // namespace config
