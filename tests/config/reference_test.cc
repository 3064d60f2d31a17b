// SPDX-License-Identifier: Apache-2.0
// docs/configuration.md says what the table says: each section's part of it is rendered here and must stand
// in the page word for word. After a change of the table, paste what the test prints.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/strings.h"
#include "config/load.h"
#include "config/schema.h"
#include "support/temp_dir.h"

namespace config {
namespace {

std::string values_of(const Setting& setting) {
  const std::string range = fmt::format("{} to {}", setting.limits.least, setting.limits.most);
  switch (setting.type) {
    case Type::boolean:
      return "true, false";
    case Type::whole:
      return range;
    case Type::decimal:
      return "number, " + range;
    case Type::choice:
      return fmt::format("`{}`", fmt::join(setting.choices, "`, `"));
    case Type::text:
      return "text";
    case Type::path:
      return "path";
    case Type::texts:
      return "list of texts";
    case Type::map:
      return "map of texts";
    case Type::records:
      return "list of maps, below";
  }
  return {};
}

std::string row(const Setting& setting, std::string_view key) {
  std::string fallback = setting.need == Setting::Need::required ? "required" : "not set";
  if (setting.fallback) fallback = fmt::format("`{}`", *setting.fallback);
  std::string about(setting.about);
  if (setting.secrecy == Secrecy::secret) about += " (masked when shown)";
  if (!setting.gone.empty()) about = fmt::format("Accepted with a warning: {}", setting.gone);
  return fmt::format("| `{}` | {} | {} | {} |\n", key, values_of(setting), fallback, about);
}

std::string head(std::string_view first) {
  return fmt::format("| {} | values | default | meaning |\n|---|---|---|---|\n", first);
}

std::string render(const Section& section) {
  std::string text = fmt::format("## `{}`\n{}\n\n{}", section.name, section.about, head("key"));
  std::string records;
  for (const Setting& setting : settings()) {
    if (!setting.path.starts_with(fmt::format("{}.", section.name))) continue;
    const std::string_view key = setting.path.substr(section.name.size() + 1);
    text += row(setting, key);
    if (setting.fields.empty()) continue;
    records += fmt::format("\n{}", head(fmt::format("field of `{}`", key)));
    for (const Setting& field : setting.fields) records += row(field, field.path);
  }
  return text + records;
}

TEST(Reference, SaysWhatTheTableSays) {
  const std::string page = support::read_file(REFERENCE);
  std::string all;
  for (const Section& section : sections()) all += render(section) + "\n";
  EXPECT_THAT(page, testing::HasSubstr(all)) << all;
}

TEST(Reference, HasExamplesThatLoad) {
  const std::string page = support::read_file(REFERENCE);
  const std::string fence = "```yaml\n";
  size_t examples = 0;
  for (size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1)) {
    const size_t begin = at + fence.size();
    const auto loaded = load_text(page.substr(begin, page.find("```", begin) - begin), "example");
    EXPECT_TRUE(loaded) << loaded.error().message();
    examples++;
  }
  EXPECT_GT(examples, 0U);
}

TEST(Reference, HasNoSectionThatTheTableLacks) {
  const std::string page = support::read_file(REFERENCE);
  size_t headings = 0;
  for (const std::string_view line : base::split(page, '\n')) headings += line.starts_with("## `") ? 1U : 0U;
  EXPECT_EQ(sections().size(), headings);
}

}  // namespace
}  // namespace config
